"""The stock Python client against the service: BASE_URL is the service, BROKEN_URL one whose model breaks off."""

import os
import sys

import openai

FAILED = []


def check(name, held, shown=""):
    print(f"{'ok  ' if held else 'FAIL'} {name}{': ' + shown if shown else ''}")
    if not held:
        FAILED.append(name)


def client(url, key="first-key-1"):
    return openai.OpenAI(base_url=url + "/v1", api_key=key, max_retries=0)


def ask(made, **more):
    messages = [{"role": "user", "content": "What is a slot?"}]
    return made.chat.completions.create(model="askdocs", messages=messages, **more)


print(f"openai {openai.__version__}, Python {sys.version.split()[0]}")
good, broken = client(os.environ["BASE_URL"]), client(os.environ["BROKEN_URL"])

check("models.list", [model.id for model in good.models.list()] == ["askdocs"])

whole = ask(good)
text = whole.choices[0].message.content
check("a whole answer", whole.choices[0].finish_reason == "stop" and len(text) > 0)
check("sources as a footer", "\n\nSources:\n[" in text, text.split("\n\n")[-1].split("\n")[1])
check("sources as a field", whole.model_extra["askdocs"]["sources"][0]["n"] == 1)
check("usage", whole.usage.total_tokens == whole.usage.prompt_tokens + whole.usage.completion_tokens)

chunks = list(ask(good, stream=True, stream_options={"include_usage": True}))
streamed = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
ends = [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices and chunk.choices[0].finish_reason]
check("the stream is the same text", streamed == text)
check("one finish reason", ends == ["stop"])
check("usage comes last", chunks[-1].choices == [] and chunks[-1].usage is not None)

with good.chat.completions.stream(
    model="askdocs", messages=[{"role": "user", "content": "What is a slot?"}]
) as stream:
    check("the stream helper", stream.get_final_completion().choices[0].message.content == text)

got = ""
try:
    for chunk in ask(broken, stream=True):
        got += chunk.choices[0].delta.content or ""
    check("a failure in the middle is raised", False)
except openai.APIError as error:
    check("a failure in the middle is raised", got == "It is ", f"after {got!r}: {error.message}")

for name, url, key, kind, body in [
    ("a failure before the first token, whole: 502", broken, None, openai.InternalServerError, {}),
    ("a wrong key: 401", client(os.environ["BASE_URL"], "another-key"), None, openai.AuthenticationError, {}),
    ("two choices: 422", good, None, openai.UnprocessableEntityError, {"n": 2}),
]:
    try:
        ask(url, **body)
        check(name, False)
    except kind as error:
        check(name, True, f"{type(error).__name__} {error.code}")

sys.exit(1 if FAILED else 0)
