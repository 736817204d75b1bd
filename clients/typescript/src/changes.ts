import type { ListChangesParameters } from './generated/operations.ts';
import type { Change, ChangePage } from './generated/types.ts';
import type { CallOptions } from './options.ts';
import { sleep } from './retries.ts';
import type { Transport } from './transport.ts';

/**
 * Filters, and the `cursor` to continue after: of a search, to follow what it gave, or of the last change that you have handled. Store
 * the `cursor` of each change when you have handled it, and start with it the next time: then no change is missed or repeated. Without
 * a cursor, the oldest change that is kept comes first.
 */
export type ChangeQuery = ListChangesParameters;

export interface Changes {
  /** Changes as they happen, without end. Stop with `break` or a signal. */
  follow(query?: ChangeQuery, options?: CallOptions): AsyncGenerator<Change, void, undefined>;
  /**
   * The same in pages, also empty ones. Store `meta.nextCursor` when you have handled a page. Unlike the cursor of a change, it also
   * advances while nothing passes your filter, so it does not expire.
   */
  followPages(query?: ChangeQuery, options?: CallOptions): AsyncGenerator<ChangePage, void, undefined>;
  /** Changes up to the present. */
  read(query?: ChangeQuery, options?: CallOptions): AsyncGenerator<Change, void, undefined>;
  /**
   * The cursor of the present. To follow the results of a search, use its `cursor` instead: search shows an import a moment later than
   * the feed.
   */
  now(options?: CallOptions): Promise<string>;
}

const WAIT_SECONDS = 30;

/** The operation that lists changes, and its parameters besides those of `ChangeQuery`. */
interface Source {
  readonly operation: 'listChanges' | 'listMonitorChanges';
  readonly parameters?: object;
}

export function createChanges(
  transport: Transport,
  { timeout = 30_000, deadline = 120_000, pause = 2_000 },
  { operation, parameters }: Source = { operation: 'listChanges' },
): Changes {
  /** Every page is requested with the cursor of the one before, so a failed request repeats nothing. */
  async function* readPages(query: ChangeQuery, options: CallOptions): AsyncGenerator<ChangePage, void, undefined> {
    const { limit = 1000, wait = 0 } = query;
    const waitMs = wait * 1000;
    const limits = {
      timeout: (options.timeout ?? timeout) + waitMs,
      deadline: (options.deadline ?? deadline) + waitMs,
    };
    // Otherwise, a change in a reply that is lost would be before the `now` of the next attempt.
    for (let cursor = query.cursor === 'now' ? await now(options) : query.cursor; ; ) {
      const startedAt = performance.now();
      const reply = await transport.call(
        operation,
        { ...query, ...parameters, limit, cursor },
        { ...options, ...limits, isUncached: true },
      );
      const page = reply.body as ChangePage;
      cursor = page.meta.nextCursor;
      yield page;
      const isIdle = page.data.length === 0 && !page.meta.hasMore;
      const restMs = startedAt + pause - performance.now();
      // The service does not let more than a few requests of an account wait, and none while it stops.
      if (isIdle && restMs > 0) await sleep(restMs, options.signal);
    }
  }

  async function now(options: CallOptions = {}): Promise<string> {
    const given = { ...parameters, cursor: 'now' };
    const { body } = await transport.call(operation, given, { ...options, isUncached: true });
    return (body as ChangePage).meta.nextCursor;
  }

  const followPages = (query: ChangeQuery = {}, options: CallOptions = {}) =>
    readPages({ ...query, wait: query.wait ?? WAIT_SECONDS }, options);

  return {
    followPages,
    async *follow(query, options) {
      for await (const { data } of followPages(query, options)) yield* data;
    },
    async *read(query = {}, options = {}) {
      for await (const { data, meta } of readPages({ ...query, wait: 0 }, options)) {
        yield* data;
        if (!meta.hasMore) return;
      }
    },
    now,
  };
}
