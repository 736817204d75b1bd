import { buildApp } from '../api/app.ts';
import type { Config } from '../base/config/config.ts';
import type { MetricsReport } from '../base/observability/metrics.ts';
import { createSite } from '../base/site.ts';
import type { App } from '../http/app.ts';
import { prepareDrain, watchProbes } from '../http/drain.ts';
import { showFailure } from '../portal/pages/messages.ts';
import { showPreview } from '../portal/pages/reconcile-preview.ts';
import { registerPages } from '../portal/routes.ts';
import type { StateMessage } from '../search/memory/overlay.ts';
import type { Services, SharedMemory } from '../services/services.ts';
import type { Heartbeat } from './watchdog.ts';

/**
 * Answers requests in this thread (`serveHere`), or in several threads of this process (`serveInThreads`), each of which runs `serveHere`. This
 * folder owns threads, ports and draining. The replies belong to `api/` and `portal/`.
 */
export interface Front {
  readonly url: string;
  /** Call this when the services are prepared: until then the readiness probe answers 503. Resolves early if the signal
   *  is aborted. */
  open(signal?: AbortSignal): Promise<void>;
  gatherMetrics(): Promise<MetricsReport[]>;
  /** Stops the front without dropping a request. Returns false if requests had to be cut off. */
  drain(): Promise<boolean>;
}

interface HereOptions {
  readonly config: Config;
  readonly services: Services;
  readonly extend?: (app: App, publicUrl: () => string) => Promise<void>;
  /** Whether other threads listen on the same port. */
  readonly sharesPort?: boolean;
}

/** Keep-alive connections get `lingerMs` to notice that the server is stopping. Requests that still run after `deadlineMs` are
 *  cut off. */
const DRAIN_LIMITS = { lingerMs: 3_000, deadlineMs: 25_000 };

export async function serveHere({ config, services, extend, sharesPort = false }: HereOptions): Promise<Front> {
  let listeningAt = '';
  let isOpen = false;
  const publicUrl = () => config.publicUrl ?? listeningAt;
  const probes = watchProbes();
  const isReady = async () => {
    const answer = isOpen && (await services.isReady());
    probes.note(answer);
    return answer;
  };
  const { corsOrigins, trustedProxies } = config;
  const site = createSite({ url: publicUrl, allowedHosts: config.allowedHosts, isClosed: config.demo });
  const { app, contract, executor, userOperations } = buildApp({
    ...services,
    publicUrl,
    site,
    corsOrigins,
    trustedProxies,
    isReady,
    showFailure,
    showPreview,
  });
  registerPages(app, { ...services, executor, userOperations, operator: config.operator, publicUrl, site, contract });
  await extend?.(app, publicUrl);
  await services.billing.load();
  const drain = prepareDrain(app);
  const { host, port } = config;
  listeningAt = await app.listen({ host, port, ...(sharesPort && { reusePort: true }) });
  services.metrics.watch(() => [['workers', 1]]);
  return {
    url: listeningAt,
    async open() {
      isOpen = true;
    },
    gatherMetrics: async () => [],
    drain() {
      // A proxy that checks readiness stops sending connections before the listener closes, which would reset the connections in its queue.
      isOpen = false;
      // Clients that wait for changes get an empty page, and continue elsewhere.
      void services.changes.endWaits();
      return drain({ ...DRAIN_LIMITS, probes });
    },
  };
}

export interface ThreadTask {
  /** 1, 2, 3 …; appears in the thread's log lines. */
  readonly number: number;
  readonly count: number;
  readonly config: Config;
  readonly shared: SharedMemory;
  /** The thread increments this counter as long as it is not stuck. */
  readonly heartbeat: Heartbeat;
}

/** The calls that the supervisor makes to a serving thread. A method that throws ends the thread. */
export interface ServingThread {
  /** From now on, searches are answered from this state of the index. Its arrays are shared, not copied. */
  use(state: StateMessage): Promise<void>;
  /** Called when the schema is up to date and the index is available. */
  prepare(): Promise<void>;
  /** Called when all threads are prepared: readiness probes succeed from now on. */
  open(): Promise<void>;
  listen(): Promise<string>;
  report(): Promise<MetricsReport>;
  /** Finishes the requests in flight. Returns false if some requests had to be cut off. */
  drain(): Promise<boolean>;
}

export interface ServingThreadEvents {
  /** Complete log lines in UTF-8. */
  log(lines: Uint8Array): void;
}
