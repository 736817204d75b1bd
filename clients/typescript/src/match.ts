import { ApiError } from './errors.ts';
import { errorClasses } from './generated/errors.ts';
import type { ErrorResponse, MatchAnswer, MatchBatchReply, MatchQuery } from './generated/types.ts';
import type { CallOptions } from './options.ts';
import type { Transport } from './transport.ts';

/** What became of a query: an answer, or its own error, which costs nothing. */
export type MatchResult<Q> = { readonly query: Q } & (
  | { readonly answer: MatchAnswer; readonly error?: undefined }
  | { readonly error: ApiError; readonly answer?: undefined }
);

export interface MatchAllOptions extends CallOptions {
  /** How many lists of 100 queries are sent at the same time. @default 2 */
  readonly concurrency?: number | undefined;
}

/** How many queries a request may have. */
const MAX_QUERIES = 100;

/** One request. It is repeated after replies that say that nothing was done, but not if the reply was lost: it may have been charged. */
export async function matchBatch<Q extends MatchQuery | string>(
  transport: Transport,
  given: readonly Q[],
  options: CallOptions = {},
): Promise<MatchResult<Q>[]> {
  const queries = given.map((query) => (typeof query === 'string' ? { name: query } : query));
  const { body } = await transport.call('matchEntities', { queries }, { ...options, repeatsRefused: true });
  const { data } = body as MatchBatchReply;
  return given.map((query, index) => {
    const result = data[index] as MatchAnswer | ErrorResponse;
    return 'error' in result ? { query, error: toError(result) } : { query, answer: result };
  });
}

export async function matchOne(
  transport: Transport,
  query: MatchQuery | string,
  options?: CallOptions,
): Promise<MatchAnswer> {
  const [result] = await matchBatch(transport, [query], options);
  if (result?.answer === undefined) throw result?.error;
  return result.answer;
}

/** Reads at most `concurrency` lists ahead of what the caller has taken. */
export async function* matchAll<Q extends MatchQuery | string>(
  transport: Transport,
  queries: Iterable<Q> | AsyncIterable<Q>,
  { concurrency = 2, signal, ...options }: MatchAllOptions = {},
): AsyncGenerator<MatchResult<Q>, void, undefined> {
  const controller = new AbortController();
  const stop = () => controller.abort(signal?.reason);
  signal?.addEventListener('abort', stop);
  if (signal?.aborted) stop();
  const batches = readBatches(queries);
  const running: Promise<MatchResult<Q>[]>[] = [];
  try {
    for (let hasMore = true; ; ) {
      while (hasMore && running.length < Math.max(1, concurrency)) {
        const { value } = await batches.next();
        if (value === undefined) hasMore = false;
        else {
          const matching = matchBatch(transport, value, { ...options, signal: controller.signal });
          // An error is reported when its turn comes.
          matching.catch(() => undefined);
          running.push(matching);
        }
      }
      const next = running.shift();
      if (next === undefined) return;
      yield* await next;
    }
  } finally {
    signal?.removeEventListener('abort', stop);
    // The service refunds what it cannot deliver.
    controller.abort();
    await batches.return();
  }
}

async function* readBatches<Q>(queries: Iterable<Q> | AsyncIterable<Q>): AsyncGenerator<Q[], void, undefined> {
  let batch: Q[] = [];
  for await (const query of queries) {
    batch.push(query);
    if (batch.length < MAX_QUERIES) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** The status is that of the reply, which has other answers. */
function toError({ error }: ErrorResponse): ApiError {
  return new (errorClasses[error.code] ?? ApiError)({ ...error, status: 200, retryAfter: null, resourceId: null });
}
