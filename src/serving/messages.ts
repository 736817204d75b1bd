import type { Socket } from 'node:net';
import type { Config } from '../config.ts';
import type { MetricsReport } from '../observability/metrics.ts';
import type { SearchIndex } from '../search/memory/search-index.ts';
import type { Shared } from '../services.ts';
import type { ConnectionSource } from './front.ts';

/** What a serving thread is started with. */
export interface ThreadTask {
  /** 1, 2, 3 …: in its lines of the log. */
  readonly number: number;
  readonly of: number;
  readonly config: Config;
  readonly shared: Shared;
}

/** What the supervisor asks of a serving thread, and what is answered. Every question has an answer. */
export interface Questions {
  /** Answer from this index from now on. Its arrays are shared, not copied. */
  use(index: SearchIndex): void;
  /** The schema is up to date, the index is there: get ready to answer. */
  prepare(): void;
  /** All threads are prepared: say so to who asks. */
  open(): void;
  listen(from: ConnectionSource): string;
  report(): MetricsReport;
  /** Finish what is under way; whether all of it could be. */
  drain(): boolean;
}

export type Question = keyof Questions;
export type Parameters<Q extends Question> = globalThis.Parameters<Questions[Q]>;
export type Answer<Q extends Question> = ReturnType<Questions[Q]>;

export type ToThread = Asked | HandedOver;

export interface HandedOver {
  readonly socket: Socket;
}

export interface Asked {
  readonly id: number;
  readonly question: Question;
  readonly parameters: readonly unknown[];
}

export type FromThread =
  | { readonly type: 'answer'; readonly id: number; readonly answer: unknown }
  /** Whole lines of the log. */
  | { readonly type: 'log'; readonly lines: string };
