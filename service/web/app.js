/** The page: a question, the answer as it streams, and the passages behind it. */
import { ask } from './ask.js';
import { drawAnswer, drawPassage, element, markPassage } from './view.js';

const $ = (id) => document.getElementById(id);
const field = $('question');
let running = null;
let last = '';

$('form').addEventListener('submit', (event) => {
  event.preventDefault();
  const question = field.value.trim();
  if (question === '') return;
  const address = `#q=${encodeURIComponent(question)}`;
  if (location.hash !== address) history.pushState(null, '', address);
  run(question);
});
field.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  if (running === null) $('form').requestSubmit();
});
$('stop').addEventListener('click', () => running?.abort());
$('key-form').addEventListener('submit', (event) => {
  event.preventDefault();
  sessionStorage.setItem('askdocs-key', $('key').value.trim());
  $('key-form').hidden = true;
  run(last);
});
addEventListener('popstate', follow);
describeService();
follow();

/** The question stands behind `#`, which browsers send to nobody: it is in no server's log. */
function follow() {
  const question = new URLSearchParams(location.hash.slice(1)).get('q') ?? '';
  field.value = question.slice(0, field.maxLength);
  if (question.trim() !== '') run(field.value.trim());
  else if (last !== '') leave();
}

/** Back at the page without a question. */
function leave() {
  running?.abort();
  running = null;
  setBusy(false);
  setStatus('');
  $('result').hidden = true;
}

async function run(question) {
  running?.abort();
  const own = new AbortController();
  running = own;
  last = question;
  const answer = begin(question);
  try {
    const key = sessionStorage.getItem('askdocs-key') ?? '';
    for await (const event of ask(question, { key, signal: own.signal })) {
      if (running === own) answer[event.event]?.(event.data);
    }
  } catch (error) {
    if (running === own) answer.failed(error, own.signal.aborted);
  }
  if (running === own) {
    running = null;
    setBusy(false);
  }
}

/** Clears the page for a question; the functions returned take the events of its answer. */
function begin(question) {
  setBusy(true);
  document.title = `${question.slice(0, 60)} · askdocs`;
  $('asked').textContent = question;
  for (const id of ['problem', 'answer', 'notes', 'facts', 'sources']) $(id).replaceChildren();
  $('key-form').hidden = true;
  $('sources-part').hidden = true;
  $('result').hidden = false;
  $('link').href = `#q=${encodeURIComponent(question)}`;
  setStatus('Searching the documents…');
  let sources = [];
  let text = '';
  return {
    sources(data) {
      sources = data.sources;
      showSources(sources);
      setStatus('Writing the answer…');
    },
    token(data) {
      text += data.text;
      $('answer').append(data.text);
    },
    done(data) {
      showDone(data, sources);
    },
    error(data) {
      showProblem(data.message, `It failed in ${data.stage}. Trace ${data.trace_id}.`, text !== '');
    },
    failed(error, stopped) {
      if (stopped) setStatus(text === '' ? 'Stopped.' : 'Stopped. The answer above is not whole.');
      else if (error.status === 401) askForKey(error.message);
      else if (error.code === 'busy') showProblem(error.message, `Try again in ${error.retryAfter || 1} s.`, false);
      else showProblem(error.message ?? String(error), '', text !== '');
    },
  };
}

function showDone(done, sources) {
  const byNumber = new Map(sources.map((source) => [source.n, source]));
  const quotesOf = (n) =>
    done.evidence
      .flatMap((item) => item.citations)
      .flatMap((item) => (item.n === n && item.quote !== null ? [item.quote] : []));
  const open = (n, quote, button) => openSource(byNumber.get(n), quotesOf(n), quote, button);
  const notes = [];
  if (done.refused) {
    $('answer').replaceChildren();
    notes.push(...refusal(done, sources));
  } else $('answer').replaceChildren(drawAnswer(done, open));
  if (done.invalid_citations.length > 0) {
    notes.push(note(`It cites ${done.invalid_citations.map((n) => `[${n}]`).join(' ')}, which no source has.`));
  }
  if (done.truncated) notes.push(note('The answer was cut off: it reached the longest the service allows.'));
  $('notes').replaceChildren(...notes);
  for (const source of sources) markPassage($(`source-${source.n}`), source.text, quotesOf(source.n), null);
  $('facts').textContent = factsOf(done);
  setStatus(done.refused ? 'No answer.' : 'Answered.');
}

/** Why there is no answer, and what was nearest. */
function refusal(done, sources) {
  if (done.refusal === 'gate') {
    const nearest = done.nearest.map((passage) => element('li', {}, [drawPassage(passage, null)]));
    if (nearest.length > 0) {
      $('sources').replaceChildren(...nearest);
      titleSources('Nearest passages', 'Too far from the question to answer from; no model was asked.');
    }
    return [element('p', { class: 'refusal', text: 'Nothing in the documents about this.' })];
  }
  const looked = `${sources.length} ${sources.length === 1 ? 'passage was' : 'passages were'} found, but none says it.`;
  return [
    element('p', { class: 'refusal', text: 'The documents do not answer this.' }),
    element('p', { text: looked }),
  ];
}

function note(text) {
  return element('p', { class: 'note', text });
}

function factsOf({ timings, usage, cost_usd, trace_id }) {
  const seconds = (ms) => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);
  const facts = [`${seconds(timings.total_ms)} in all`, `search ${seconds(timings.retrieval_ms)}`];
  if (timings.ttft_ms !== null) facts.push(`first words after ${seconds(timings.ttft_ms)}`);
  if (usage !== null && usage.prompt_tokens > 0)
    facts.push(`${usage.prompt_tokens} + ${usage.completion_tokens} tokens`);
  if (cost_usd !== null && cost_usd > 0) facts.push(`${cost_usd.toFixed(4)} USD`);
  return `${facts.join(', ')}. Trace ${trace_id}.`;
}

function showSources(sources) {
  $('sources').replaceChildren(...sources.map((source) => element('li', {}, [drawPassage(source, source.n)])));
  if (sources.length > 0) titleSources('Passages', 'What the answer is made from. Marked: what it took.');
}

function titleSources(title, text) {
  $('sources-title').textContent = title;
  $('sources-note').textContent = text;
  $('sources-part').hidden = false;
}

/** Unfolds the passage, marks the quote and goes there; its button leads back to the citation. */
function openSource(source, quotes, quote, button) {
  const details = $(`source-${source.n}`);
  markPassage(details, source.text, quotes, quote);
  details.open = true;
  details.querySelector('summary').focus({ preventScroll: true });
  (details.querySelector('mark.current') ?? details).scrollIntoView({ block: 'center' });
  const back = details.querySelector('.back');
  back.hidden = false;
  back.onclick = () => {
    button.focus();
    button.scrollIntoView({ block: 'center' });
  };
}

function showProblem(message, more, partial) {
  const again = element('button', { type: 'button', class: 'quiet', text: 'Ask again' });
  again.addEventListener('click', () => run(last));
  const parts = [element('strong', { text: message })];
  if (more !== '') parts.push(element('span', { class: 'dim', text: more }));
  if (partial)
    parts.push(
      element('span', { text: 'What had arrived until then stands below; it is not whole and was not checked.' }),
    );
  $('problem').replaceChildren(...parts, again);
  setStatus('');
}

function askForKey(message) {
  sessionStorage.removeItem('askdocs-key');
  $('result').hidden = true;
  $('key-form').hidden = false;
  $('key').value = '';
  $('key').focus();
  setStatus(message);
}

function setBusy(busy) {
  $('stop').hidden = !busy;
  $('send').hidden = busy;
  $('answer').setAttribute('aria-busy', String(busy));
  document.body.classList.toggle('busy', busy);
}

function setStatus(text) {
  $('status').textContent = text;
}

/** What answers here, and what works less well than it could. */
async function describeService() {
  const health = await fetch('healthz').then(
    (response) => response.json(),
    () => null,
  );
  if (health === null) return;
  const model = health.provider === health.model ? health.provider : `${health.provider}, ${health.model}`;
  const search = health.search === 'unknown' ? '' : `, ${health.search} search`;
  $('service').textContent = [`${model}${search}.`, ...(health.notes ?? [])].join(' ');
}
