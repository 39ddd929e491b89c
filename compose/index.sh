#!/bin/sh
# The index job: fetches the embedder unless none or another one is wanted, then brings the index into step with the
# documents. Run again, it reads only what changed; the service goes over to the new index by itself.
#   index.sh FOLDER
set -eu
if [ "${ASKDOCS_EMBED_MODEL:-}" = "" ] && [ "${ASKDOCS_EMBED_URL:-}" = "" ]; then
  # Without it search goes by words alone: less good, but no reason to have no index.
  askdocs models pull || echo "index.sh: going on without the embedder; run this job again to fetch it." >&2
fi
exec askdocs index "$1" --db "$ASKDOCS_MCP_DB"
