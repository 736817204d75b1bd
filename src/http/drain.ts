import { Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from './app.ts';

export interface DrainOptions {
  /** How long a keep-alive connection may stay silent before it is closed. */
  readonly lingerMs: number;
  /** After this long, what is still running is cut off. */
  readonly deadlineMs: number;
}

/**
 * Stops the app without dropping a request. node's own close ends idle keep-alive connections at once, which loses a
 * request that is already on its way; so first only the listener is closed and every reply says `Connection: close`,
 * and connections get a moment to hear it. Returns whether everything ended by itself.
 */
export function prepareDrain(app: App): (options: DrainOptions) => Promise<boolean> {
  let draining = false;
  app.addHook('onRequest', (_request, reply, done) => {
    if (draining) reply.header('Connection', 'close');
    done();
  });
  return async ({ lingerMs, deadlineMs }) => {
    draining = true;
    Server.prototype.close.call(app.server);
    for (let waited = 0; waited < lingerMs && (await countConnections(app)) > 0; waited += 20) await sleep(20);
    let clean = true;
    const force = setTimeout(() => {
      clean = false;
      app.server.closeAllConnections();
    }, deadlineMs);
    await app.close();
    clearTimeout(force);
    return clean;
  };
}

function countConnections(app: App): Promise<number> {
  return new Promise((resolve) => app.server.getConnections((_error, count) => resolve(count)));
}
