import { type CallOptions, type ChangePage, type ChangeQuery, type Changes, DeadlineExceeded } from '../index.ts';
import { isTransient, sleep } from '../retries.ts';

/** Between attempts while the service is away. */
const AWAY_MS = 5_000;

/**
 * Pages of changes without end. Unlike the library, it waits as long as it takes for a service that has answered before and is away,
 * such as for an update.
 */
export async function* followPatiently(
  changes: Changes,
  query: ChangeQuery,
  options: CallOptions,
  note: (text: string) => void,
  awayMs = AWAY_MS,
): AsyncGenerator<ChangePage, void, undefined> {
  let { cursor } = query;
  let hasReplied = false;
  let isAway = false;
  for (;;) {
    try {
      for await (const page of changes.followPages({ ...query, cursor }, options)) {
        cursor = page.meta.nextCursor;
        hasReplied = true;
        isAway = false;
        yield page;
      }
    } catch (error) {
      if (!hasReplied || !(isTransient(error) || error instanceof DeadlineExceeded)) throw error;
      if (!isAway) note('The service does not answer. Waiting for it; Ctrl+C stops.');
      isAway = true;
      await sleep(awayMs, options.signal);
    }
  }
}
