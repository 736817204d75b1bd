import { Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from './app-type.ts';

export interface DrainOptions {
  /** How long a keep-alive connection may stay silent before it is closed. */
  readonly lingerMs: number;
  /** After this long, what is still running is cut off. */
  readonly deadlineMs: number;
}

/** A listener is closed once nobody has connected for this long, and after `ACCEPT_MS` in any case. */
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
  // Node counts only those that this server has accepted itself: in a serving thread they may be handed over.
  const connections = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    lastConnectionAt = performance.now();
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  app.addHook('onRequest', (_request, reply, done) => {
    if (draining) reply.header('Connection', 'close');
    done();
  });
  return async ({ lingerMs, deadlineMs }) => {
    draining = true;
    await untilQuiet(() => lastConnectionAt);
    Server.prototype.close.call(app.server);
    for (let waited = 0; waited < lingerMs && connections.size > 0; waited += 20) await sleep(20);
    let clean = true;
    const force = setTimeout(() => {
      clean = false;
      app.server.closeAllConnections();
    }, deadlineMs);
    app.server.closeIdleConnections();
    while (connections.size > 0) await sleep(20);
    await app.close();
    clearTimeout(force);
    return clean;
  };
}

export async function untilQuiet(lastConnectionAt: () => number): Promise<void> {
  const started = performance.now();
  while (performance.now() - Math.max(started, lastConnectionAt()) < QUIET_MS) {
    if (performance.now() - started > ACCEPT_MS) break;
    await sleep(10);
  }
}
