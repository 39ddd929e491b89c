# The image of askdocs: Node, the sources (they run as they are), production dependencies. Built from the project's folder:
#   docker build -t askdocs .
# Pinned by digest. Node 22: 20 gets no more fixes, and from 24.19 on native modules such as ours abort (docs/limitations.md).
ARG NODE_IMAGE=node:22.23.2-bookworm-slim@sha256:83f487e0a63425e5b4d146fb5e5be574bcbe1b7b843d3ebafdd95eaf7767a7e5

FROM ${NODE_IMAGE} AS dependencies
# Only for platforms that better-sqlite3 has no prebuilt binary for; none of it reaches the final image.
RUN apt-get update \
  && apt-get install -y --no-install-recommends python3 make g++ \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# For an index in Milvus: a peer that is optional elsewhere, in the version that the tests run with. In a folder of its own: beside a
# lockfile that has it as a development dependency npm leaves it out.
RUN npm install --prefix /milvus --no-package-lock \
    "@zilliz/milvus2-sdk-node@$(node -p "require('./package.json').devDependencies['@zilliz/milvus2-sdk-node']")"
RUN npm ci --omit=dev \
  # The embedder's runtime brings the binaries of every platform along, 290 MB of them.
  && find node_modules/onnxruntime-node/bin -mindepth 3 -maxdepth 3 -type d \
    ! -path "*/linux/$(node -p process.arch)" -exec rm -rf {} + \
  && rm -rf node_modules/better-sqlite3/deps node_modules/better-sqlite3/src

FROM ${NODE_IMAGE}
LABEL org.opencontainers.image.title="askdocs" \
  org.opencontainers.image.description="Answers over your documents with checked citations" \
  org.opencontainers.image.licenses="MIT"
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
# Above the application, where Node looks next.
COPY --from=dependencies /milvus/node_modules /node_modules
COPY package.json tsconfig.json LICENSE ./
COPY service ./service
COPY harness ./harness
COPY scripts ./scripts
COPY loadtest ./loadtest
COPY compose/index.sh ./compose/index.sh
# What is written goes into volumes, which take the owner of these folders; the rest belongs to root and is only read.
RUN ln -s /app/scripts/askdocs.js /usr/local/bin/askdocs \
  && chmod 755 scripts/askdocs.js \
  && install -d -o node -g node /data /models \
  && rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /opt/yarn-*
ENV NODE_ENV=production \
  ASKDOCS_HOST=0.0.0.0 \
  ASKDOCS_MCP_DB=/data/docs.db \
  ASKDOCS_MODELS_DIR=/models
USER node
VOLUME ["/data", "/models"]
EXPOSE 8000
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8000/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# The service takes SIGTERM itself and needs no shell before it; an init that reaps comes with `docker run --init`.
ENTRYPOINT ["askdocs"]
CMD ["serve"]
