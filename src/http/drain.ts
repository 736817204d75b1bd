import { Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from './app.ts';

export interface DrainOptions {
  /** How long a keep-alive connection may stay silent before it is closed. */
  readonly lingerMs: number;
  /** After this long, what is still running is cut off. */
  readonly deadlineMs: number;
}

/** The listener is closed once nobody has connected for this long, and after `ACCEPT_MS` in any case. */
const QUIET_MS = 100;
const ACCEPT_MS = 1_000;

/**
 * Stops the app without dropping a request, which takes care at both ends. Closing the listener resets connections that
 * the kernel has taken but we have not accepted yet; so it is closed when no more of them come. And node's own close
 * ends idle keep-alive connections at once, which loses a request that is already on its way; so every reply says
 * `Connection: close` from now on, and connections get a moment to hear it. Returns whether everything ended by itself.
 */
export function prepareDrain(app: App): (options: DrainOptions) => Promise<boolean> {
  let draining = false;
  let lastConnectionAt = 0;
  app.server.on('connection', () => {
    lastConnectionAt = performance.now();
  });
  app.addHook('onRequest', (_request, reply, done) => {
    if (draining) reply.header('Connection', 'close');
    done();
  });
  return async ({ lingerMs, deadlineMs }) => {
    draining = true;
    const started = performance.now();
    while (performance.now() - Math.max(started, lastConnectionAt) < QUIET_MS) {
      if (performance.now() - started > ACCEPT_MS) break;
      await sleep(10);
    }
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
