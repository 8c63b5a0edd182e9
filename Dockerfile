# The image of the server: docker build -t faultline . && docker compose up
# docs/deploy.md says what running programs in it takes. scripts/try-dockerfile.ts runs these steps without Docker.
ARG BASE=node:24-bookworm-slim

FROM ${BASE} AS build
# For hnswlib-node; without them it is left out, and search is exact.
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates g++ make python3 \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /build
# The image has the headers of its Node; else node-gyp would download them.
ENV npm_config_nodedir=/usr/local
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
RUN npm run build && npm prune --omit=dev --no-audit --no-fund

FROM ${BASE}
# bubblewrap and util-linux (setpriv, prlimit) run programs, git and ssh fetch code, tini ends what others leave behind.
RUN apt-get update \
  && apt-get install -y --no-install-recommends bubblewrap ca-certificates git openssh-client tini util-linux \
  && rm -rf /var/lib/apt/lists/*
# Workspaces below it must be reachable for programs, hence 0711.
RUN groupadd --gid 10001 faultline \
  && useradd --uid 10001 --gid 10001 --home-dir /var/lib/faultline --no-create-home --shell /usr/sbin/nologin faultline \
  && install -d -o faultline -g faultline -m 0711 /var/lib/faultline
WORKDIR /opt/faultline
COPY --from=build /build/node_modules ./node_modules
COPY --from=build /build/dist ./dist
COPY package.json LICENSE ./
COPY assets ./assets
COPY bin ./bin
COPY prompts ./prompts
COPY templates ./templates
USER 10001:10001
# The settings of malloc are those of `npm start`; API_KEYS has to be given, as the server listens beyond loopback.
ENV NODE_ENV=production \
  HOME=/var/lib/faultline \
  HOST=0.0.0.0 \
  PORT=8000 \
  DATA_DIR=/var/lib/faultline/data \
  VECTOR_STORE_DIR=/var/lib/faultline/vector_store \
  CLONED_REPOS_DIR=/var/lib/faultline/cloned_repos \
  MALLOC_ARENA_MAX=2 \
  MALLOC_MMAP_THRESHOLD_=65536 \
  MALLOC_TRIM_THRESHOLD_=131072
VOLUME /var/lib/faultline
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--"]
CMD ["node", "--max-semi-space-size=4", "bin/faultline.js", "serve"]
