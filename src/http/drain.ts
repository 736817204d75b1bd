import { Server, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { App } from './app.ts';

export interface DrainOptions {
  /** How long an idle keep-alive connection is kept open. */
  readonly lingerMs: number;
  /** Requests that still run after this time are cut off. */
  readonly deadlineMs: number;
  readonly probes?: Probes;
}

type Probes = ReturnType<typeof watchProbes>;

/**
 * The listener closes when no connection has arrived for `QUIET_MS` and the proxy that checks readiness, if there is one, knows that the server is
 * stopping. The listener closes after `MAX_ACCEPT_MS` at the latest.
 */
const QUIET_MS = 100;
const MAX_ACCEPT_MS = 4_000;

/** Whether a proxy checks readiness. The proxy has to learn that the server is stopping before the listener closes. */
export function watchProbes(now = () => performance.now()) {
  /** When the last two probes found the server ready. A single probe may be a person or a script that waited for the start. */
  let [before, latest] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  return {
    note(isReady: boolean): void {
      [before, latest] = isReady ? [latest, now()] : [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
    },
    /** Whether a proxy checks regularly and does not know yet that the server is stopping. */
    areAwaited: (): boolean => now() - before < 2 * MAX_ACCEPT_MS,
  };
}

/**
 * Stops the app without dropping a request. Closing the listener resets connections that the kernel has accepted but Node has not,
 * so it is closed only when no new connections arrive. Node's `close` ends idle keep-alive connections immediately, which loses a
 * request that is on its way, so every response says `Connection: close` first, and clients get time to read it. Returns whether all
 * requests completed.
 */
export function prepareDrain(app: App): (options: DrainOptions) => Promise<boolean> {
  let lastConnectionAt = 0;
  const connections = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    lastConnectionAt = performance.now();
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  return async ({ lingerMs, deadlineMs, probes }) => {
    app.server.prependListener('request', (_request, response) => {
      response.shouldKeepAlive = false;
    });
    await waitUntilQuiet(() => lastConnectionAt, probes);
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

export async function waitUntilQuiet(lastConnectionAt: () => number, probes?: Probes): Promise<void> {
  const started = performance.now();
  let busyAt = started;
  while (performance.now() - Math.max(busyAt, lastConnectionAt()) < QUIET_MS) {
    if (performance.now() - started > MAX_ACCEPT_MS) break;
    await sleep(10);
    // On a busy machine, the timer may be due before the connections that wait in the kernel were accepted.
    await nextTurn();
    if (probes?.areAwaited()) busyAt = performance.now();
  }
}
