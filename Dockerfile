# The service in one small image. Node comes with the base image, which exists for amd64 and arm64; the npm package "node" is a
# development dependency and is not installed. There is no build step: Node runs the sources directly.
# The digest is that of the index for all platforms. To update it: docker buildx imagetools inspect node:<version>-slim

FROM node:26.10.0-slim@sha256:ec7758ee051e457b468b32bde57b0879010b325bb9862718e9615225ce4aaae1 AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# No production package needs an install script, so none may run. The workspace is the client; the service needs no package of it.
RUN npm ci --omit=dev --ignore-scripts --workspaces=false --no-audit --no-fund

FROM node:26.10.0-slim@sha256:ec7758ee051e457b468b32bde57b0879010b325bb9862718e9615225ce4aaae1
# The service needs no package manager, and an attacker cannot use what is not there.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /opt/yarn-* \
    && mkdir /data && chown node:node /data
WORKDIR /app
# Owned by root, so the service cannot change its own code. It can write only to /data.
COPY --from=dependencies /app/node_modules ./node_modules
COPY . .
USER node
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
# Liveness, not readiness: a container must not be restarted because its database is down.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
    CMD ["node", "bin/healthcheck.js"]
ENTRYPOINT ["node", "bin/firmament.js"]
CMD ["serve"]
