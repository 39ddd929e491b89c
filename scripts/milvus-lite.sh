#!/usr/bin/env bash
# Starts Milvus Lite, a one-process engine that speaks the API of Milvus, and stays in the foreground until it ends.
#   scripts/milvus-lite.sh [--data-dir DIR] [--port P] [--host ADDRESS] [--with-parent]
# For trying and testing an index in Milvus; for real use run a Milvus server. The pip package milvus-lite is installed
# once into a virtual environment under ${ASKDOCS_CACHE:-~/.cache/askdocs}. It listens on 127.0.0.1 unless told otherwise:
# it asks nobody for a password. With --with-parent it ends when its standard input does.
set -euo pipefail

cache="${ASKDOCS_CACHE:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/askdocs}"
data="$cache/milvus-lite" port=19530 host=127.0.0.1 parent=no

fail() { echo "milvus-lite.sh: $1" >&2; exit "${2:-64}"; }

while [ $# -gt 0 ]; do
  case "$1" in
    --data-dir | --port | --host)
      [ $# -ge 2 ] || fail "$1 wants a value."
      case "$1" in --data-dir) data="$2" ;; --port) port="$2" ;; --host) host="$2" ;; esac
      shift 2 ;;
    --with-parent) parent=yes; shift ;;
    -h | --help) sed -n '2,6s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) fail "there is no option $1; try --help." ;;
  esac
done
[[ "$port" =~ ^[1-9][0-9]*$ ]] || fail "--port is \"$port\"; it must be a whole number above 0."

venv="$cache/milvus-venv"
if [ ! -x "$venv/bin/python" ] || ! "$venv/bin/python" -c 'import milvus_lite, pymilvus' 2>/dev/null; then
  echo "milvus-lite.sh: installing the pip package milvus-lite into $venv" >&2
  mkdir -p "$cache"
  python3 -m venv "$venv" || fail "python3 with venv is needed." 69
  "$venv/bin/pip" install --quiet --disable-pip-version-check milvus-lite==3.2.2 pymilvus==3.0.2 >&2 || fail "pip could not install milvus-lite." 69
fi

mkdir -p "$data"
exec "$venv/bin/python" -c '
import os, sys, threading
from milvus_lite.adapter.grpc.server import run_server
data, host, port, parent = sys.argv[1:]
if parent == "yes":
    def follow():
        sys.stdin.buffer.read()
        os._exit(0)
    threading.Thread(target=follow, daemon=True).start()
run_server(data, host=host, port=int(port))
' "$data" "$host" "$port" "$parent"
