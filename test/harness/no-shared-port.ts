import { Server } from 'node:net';

/** Loaded into a server before its own code: what libuv does where a port cannot be shared, as on macOS and Windows. */
const listen = Server.prototype.listen;
Server.prototype.listen = function (this: Server, ...given: unknown[]) {
  const [options] = given;
  const shares =
    typeof options === 'object' && options !== null && 'reusePort' in options && options.reusePort === true;
  if (!shares) return listen.apply(this, given as Parameters<typeof listen>);
  process.nextTick(() => this.emit('error', Object.assign(new Error('not supported'), { code: 'ENOTSUP' })));
  return this;
} as typeof listen;
