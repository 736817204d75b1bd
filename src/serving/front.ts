import { isIPv6, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config.ts';
import { buildApp } from '../http/app.ts';
import { prepareDrain } from '../http/drain.ts';
import type { MetricsReport } from '../observability/metrics.ts';
import type { Services } from '../services.ts';
import { showFailure } from '../web/pages/problem.ts';
import { registerPages } from '../web/routes.ts';

/**
 * Who answers requests: this thread (`serveHere`), or several of this process (`serveInThreads`), each of which does so by
 * `serveHere` too. This folder owns threads and who listens where; what is answered is the business of http and web.
 */
export interface Front {
  /** Where it listens. */
  readonly url: string;
  /** To be called when the services are prepared: readiness waits for it. Resolves early when the signal says so. */
  open(signal?: AbortSignal): Promise<void>;
  /** What other threads have counted. */
  gatherMetrics(): Promise<MetricsReport[]>;
  /** Stops without dropping a request; returns whether everything ended by itself. */
  drain(): Promise<boolean>;
}

export interface HereOptions {
  readonly config: Pick<Config, 'host' | 'port' | 'publicUrl'>;
  readonly services: Services;
  /** Adds to the server before it listens. */
  readonly extend?: (app: FastifyInstance, publicUrl: () => string) => Promise<void>;
  /** Where connections come from: a port of our own, one that other threads listen on too, or whoever calls `take`. */
  readonly from?: ConnectionSource;
}

export type ConnectionSource = 'own port' | 'shared port' | 'handed over';

/** The front of one thread. */
export interface Here extends Front {
  /** A connection that another thread has accepted. */
  take(socket: Socket): void;
}

/** How long keep-alive connections get to hear that we stop, and after how long what still runs is cut off. */
const PATIENCE = { lingerMs: 3_000, deadlineMs: 25_000 };

export async function serveHere({ config, services, extend, from = 'own port' }: HereOptions): Promise<Here> {
  let listeningAt = '';
  let isOpen = false;
  const publicUrl = () => config.publicUrl ?? listeningAt;
  const isReady = async () => isOpen && (await services.isReady());
  const { app } = buildApp({ ...services, publicUrl, isReady, showFailure });
  registerPages(app, { ...services, publicUrl });
  await extend?.(app, publicUrl);
  const drain = prepareDrain(app);
  const { host, port } = config;
  if (from === 'handed over') {
    await app.ready();
    // Its time-outs begin with this, though it will never listen itself.
    app.server.emit('listening');
    listeningAt = `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
  } else {
    listeningAt = await app.listen({ host, port, ...(from === 'shared port' && { reusePort: true }) });
  }
  services.metrics.watchWorkers(() => 1);
  return {
    url: listeningAt,
    async open() {
      isOpen = true;
    },
    take(socket) {
      app.server.emit('connection', socket);
      socket.resume();
    },
    gatherMetrics: async () => [],
    drain: () => drain(PATIENCE),
  };
}
