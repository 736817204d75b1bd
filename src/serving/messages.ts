import type { Config } from '../config/config.ts';
import type { MetricsReport } from '../observability/metrics.ts';
import type { StateMessage } from '../search/memory/overlay.ts';
import type { SharedMemory } from '../services/shared-memory.ts';
import type { Heartbeat } from './heartbeat.ts';

/** What a serving thread is started with. */
export interface ThreadTask {
  /** 1, 2, 3 …; appears in the thread's log lines. */
  readonly number: number;
  /** How many serving threads there are. */
  readonly count: number;
  readonly config: Config;
  readonly shared: SharedMemory;
  /** The thread increments it as long as it is not stuck. */
  readonly heartbeat: Heartbeat;
}

/** What the supervisor asks of a serving thread. A method that throws ends the thread. */
export interface ServingThread {
  /** Answers searches from this state of the index from now on. Its arrays are shared, not copied. */
  use(state: StateMessage): Promise<void>;
  /** Called when the schema is up to date and the index is available. */
  prepare(): Promise<void>;
  /** Called when all threads are prepared: readiness probes succeed from now on. */
  open(): Promise<void>;
  listen(): Promise<string>;
  report(): Promise<MetricsReport>;
  /** Finishes the requests in flight. Returns false if some had to be cut off. */
  drain(): Promise<boolean>;
}

export interface ServingEvents {
  /** Complete log lines in UTF-8. */
  log(lines: Uint8Array): void;
}
