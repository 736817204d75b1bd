import { Server } from 'node:net';

/**
 * Loaded into a server before its own code (`NODE_OPTIONS=--import …`). `listen` fails as it does on systems where
 * threads cannot share a port, such as macOS and Windows.
 */
const listen = Server.prototype.listen;
Server.prototype.listen = function (this: Server, ...given: unknown[]) {
  const [options] = given;
  const isShared =
    typeof options === 'object' && options !== null && 'reusePort' in options && options.reusePort === true;
  if (!isShared) return listen.apply(this, given as Parameters<typeof listen>);
  process.nextTick(() => this.emit('error', Object.assign(new Error('not supported'), { code: 'ENOTSUP' })));
  return this;
} as typeof listen;
