# syntax=docker/dockerfile:1
# The service in one small image. Node comes with the base image, which is built for amd64 and arm64; the npm package "node" is a
# development dependency and stays outside. Nothing is compiled: the sources run as they are.

FROM node:26-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# No package that serving needs has an install script: none is run.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:26-slim
# npm and yarn are tools to build with. What is not there cannot be used against us.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /opt/yarn-* \
    && mkdir /data && chown node:node /data
WORKDIR /app
# Owned by root: the service can read itself and write to its data only.
COPY --from=dependencies /app/node_modules ./node_modules
COPY . .
USER node
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
# Liveness, not readiness: a container whose database is away must not be killed for it.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
    CMD ["node", "bin/healthcheck.js"]
ENTRYPOINT ["node", "bin/firmament.js"]
CMD ["serve"]
