import type { Socket } from 'node:net';
import type { Config } from '../config.ts';
import type { MetricsReport } from '../observability/metrics.ts';
import type { StateMessage } from '../search/memory/state-message.ts';
import type { SharedMemory } from '../shared-memory.ts';
import type { ConnectionSource } from './front.ts';
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

/** The calls that the supervisor makes to a serving thread, and their results. */
export interface Calls {
  /** Answers searches from this state of the index from now on. Its arrays are shared, not copied. */
  use(state: StateMessage): void;
  /** Called when the schema is up to date and the index is available. */
  prepare(): void;
  /** Called when all threads are prepared: readiness probes succeed from now on. */
  open(): void;
  listen(from: ConnectionSource): string;
  report(): MetricsReport;
  /** Finishes the requests in flight. Returns false if some had to be cut off. */
  drain(): boolean;
}

export type CallName = keyof Calls;
export type Arguments<N extends CallName> = Parameters<Calls[N]>;
export type Result<N extends CallName> = ReturnType<Calls[N]>;

export type ToThread = CallMessage | SocketMessage;

export interface SocketMessage {
  readonly socket: Socket;
}

export interface CallMessage {
  readonly id: number;
  readonly name: CallName;
  readonly args: readonly unknown[];
}

export type FromThread =
  | { readonly type: 'result'; readonly id: number; readonly result: unknown }
  /** Complete log lines in UTF-8. */
  | { readonly type: 'log'; readonly lines: Uint8Array };
