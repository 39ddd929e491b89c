#!/usr/bin/env bash
# Four scenes against a running askdocs service, with curl alone (bash 3.2 is enough: macOS has no newer one).
#   scripts/demo.sh [URL]          default http://127.0.0.1:8000; a key, where the service wants one, in ASKDOCS_API_KEY
# The questions are for the demo corpus (npm start serves it). For other documents: scripts/demo.sh URL QUESTION
set -euo pipefail

url="${1:-http://127.0.0.1:8000}" url="${url%/}"
question="${2:-What is the default body limit of a fastify server?}"
off_topic='How long do I poach an egg?'

bold='' dim='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then bold=$'\033[1m' dim=$'\033[2m' plain=$'\033[0m'; fi

fail() { echo "demo.sh: $1" >&2; exit 69; }
scene() { printf '\n%s— %s%s\n' "$bold" "$1" "$plain"; }
show() { printf '%s$ %s%s\n\n' "$dim" "$1" "$plain"; }

# A JSON string of a question, for any text a shell can pass.
quoted() {
  printf '%s' "$1" | sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' | tr '\n\t\r' '   ' | sed -e 's/^/"/' -e 's/$/"/'
}

# The text of a JSON string: what a terminal shows of it.
unquoted() {
  sed -e 's/\\\\/\\134/g' -e 's/\\"/"/g' -e 's/\\n/\
/g' -e 's/\\t/  /g' -e 's/\\134/\\/g'
}

post() { # PATH BODY [curl's options]
  local path="$1" body="$2"
  shift 2
  if [ -n "${ASKDOCS_API_KEY:-}" ]; then set -- "$@" -H "authorization: Bearer $ASKDOCS_API_KEY"; fi
  curl -sS --max-time 300 "$@" "$url$path" -H 'content-type: application/json' -d "$body"
}

# The value of a string member, the first of that name. JSON from the service is one line, its strings escaped.
member() { { grep -oE "\"$1\":\"([^\"\\\\]|\\\\.)*\"" || true; } | head -n 1 | sed -e "s/^\"$1\":\"//" -e 's/"$//' | unquoted; }

# Passages and citations as lines: source, and what comes after it up to the text.
sources() {
  { grep -oE '"source":"([^"\\]|\\.)*"' || true; } | sed -e 's/^"source":"//' -e 's/"$//' | unquoted |
    awk '{ printf "  %d. %s\n", NR, $0 } END { if (NR == 0) print "  none" }'
}

stream() {
  local line event='' text found=''
  while IFS= read -r line || [ -n "$line" ]; do
    case "$line" in
      # A refused request has no stream but a body.
      '{'*) fail "the service refused: $(printf '%s' "$line" | member message)" ;;
      'event: '*) event="${line#event: }" ;;
      'data: '*)
        case "$event" in
          # The newline of a text's end is kept by a mark behind it.
          token) text="$(printf '%s' "${line#data: }" | sed -e 's/^{"text":"//' -e 's/"}$//' | unquoted; printf .)"; printf '%s' "${text%.}" ;;
          sources) found="${line#data: }" ;;
          done) printf '\n\nSources:\n'; printf '%s' "$found" | sources; return 0 ;;
          error) printf '\n'; fail "the service failed: $(printf '%s' "${line#data: }" | member message)" ;;
        esac ;;
    esac
  done
  fail 'the stream ended without done and without error; that must not be.'
}

command -v curl >/dev/null 2>&1 || fail 'curl is needed, and there is none.'
curl -sS --max-time 10 -o /dev/null "$url/healthz" 2>/dev/null ||
  fail "nothing answers at $url. Start the demo with npm start, or name the service: scripts/demo.sh URL"

body="{\"question\": $(quoted "$question")}"

scene '1. An answer, streamed as it is written, each sentence with its citation'
show "curl -N $url/ask -H 'content-type: application/json' -d '$body'"
post /ask "$body" -N | stream

scene '2. Something the documents say nothing about: refused, before any model is called'
refusal="{\"question\": $(quoted "$off_topic")}"
show "curl '$url/ask?stream=false' -H 'content-type: application/json' -d '$refusal'"
answer="$(post '/ask?stream=false' "$refusal")"
printf '%s\n%srefused by: %s%s\n' "$(printf '%s' "$answer" | member answer)" "$dim" "$(printf '%s' "$answer" | member refusal)" "$plain"

scene '3. The ranked passages alone, without a model'
show "curl $url/search -H 'content-type: application/json' -d '$body'"
post /search "$body" | sources

scene '4. Bad input: a status, a code and a sentence'
show "curl -i $url/ask -H 'content-type: application/json' -d '{\"question\": \"\"}'"
answer="$(post /ask '{"question": ""}' -w '\n%{http_code}')"
printf '%s  %s: %s\n' "$(printf '%s' "$answer" | tail -n 1)" "$(printf '%s' "$answer" | member code)" "$(printf '%s' "$answer" | member message)"
