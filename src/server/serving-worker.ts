import { createLineCollector, createLog } from '../base/observability/log.ts';
import { createEmitter, type Methods, readThreadData, serveThread } from '../base/system/thread.ts';
import { CACHE_BYTES } from '../search/memory/answer/engine.ts';
import { createHandedSearch } from '../search/memory/served-index.ts';
import { openServices } from '../services/services.ts';
import { type Front, type ServingThread, type ServingThreadEvents, serveHere, type ThreadTask } from './front.ts';
import { startHeartbeat } from './watchdog.ts';

/** A serving thread. The thread opens its own services, shares the index and a few counters, and carries out the supervisor's calls. */
const { number, count, config, shared, heartbeat } = readThreadData<ThreadTask>();
const emit = createEmitter<ServingThreadEvents>();

/** PostgreSQL connections per store, for all threads together. */
const MAX_CONNECTIONS = 20;

// Only the supervising thread writes to the output: several threads that write to one pipe would break up each other's lines when
// the pipe is full. The bytes are copied, because a message carries the whole buffer of a view.
const lines = createLineCollector((bytes) => emit('log', new Uint8Array(bytes)));
process.on('exit', lines.flush);
const { log } = createLog(config.logLevel, lines, { worker: number });
const search = config.searchEngine === 'memory' ? createHandedSearch({ cacheBytes: CACHE_BYTES / count }) : undefined;
const poolSize = Math.max(2, Math.ceil(MAX_CONNECTIONS / count));
const services = openServices(config, { log, thread: { shared, search, poolSize } });
let front: Front | undefined;
let isOpen = false;

const methods: Methods<ServingThread> = {
  use: async (state) => search?.use(state),
  prepare: () => services.prepare(),
  async open() {
    isOpen = true;
    await front?.open();
  },
  async listen() {
    front = await serveHere({ config, services, sharesPort: true });
    // The heartbeat starts here, because building the routes takes seconds on a busy machine.
    startHeartbeat(heartbeat);
    if (isOpen) await front.open();
    return front.url;
  },
  report: () => services.metrics.report(),
  async drain() {
    const clean = (await front?.drain()) ?? true;
    await services.close();
    lines.flush();
    return clean;
  },
};

// The supervisor decides what happens after an error.
void serveThread(methods, { crashesOnError: true });
