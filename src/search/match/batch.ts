import { Failure, fail } from '../../base/errors.ts';
import { millisecondsLeft, timedOut } from '../../base/system/deadline.ts';
import { takeBreakIfDue } from '../../base/system/event-loop.ts';
import { parseVersion } from '../../base/version.ts';
import type { MatchAnswer, Matcher, MatchQuery, Requester } from './matching.ts';

/** A query of a list, or the error of an invalid query. */
export type ListedQuery = { readonly query: MatchQuery } | { readonly error: unknown };

/** The result of one query of a list: an answer or an error. */
export type MatchOutcome = { readonly answer: MatchAnswer } | { readonly error: unknown };

export interface BatchReply {
  /** Undefined if no query was answered. */
  readonly version: string | undefined;
  /** The outcomes, in the order of the queries. */
  readonly outcomes: readonly MatchOutcome[];
}

type Found = MatchOutcome & { readonly version?: string };

/** The number of queries of a list that run at the same time: with an index in memory, they take turns; with SQL, they wait for the database. */
const CONCURRENCY = 4;

/**
 * Matches a list that may contain invalid queries: an error affects only its query. Stops when the client has gone. All answers come from one
 * version of the data: answers from before an import are replaced. If every valid query fails with `service_unavailable`, throws this error.
 */
export async function matchEach(
  matcher: Matcher,
  queries: readonly ListedQuery[],
  requester: Requester,
): Promise<BatchReply> {
  const found: Found[] = [];

  async function matchOne(listed: ListedQuery): Promise<Found> {
    if ('error' in listed) return listed;
    try {
      await takeBreakIfDue();
      if (millisecondsLeft(requester.deadline) === 0) throw timedOut('matching');
      if (requester.isGone?.() === true) throw fail('service_unavailable', { message: 'The client has gone.' });
      return await matcher.match(listed.query, requester);
    } catch (error) {
      return { error };
    }
  }

  async function matchAt(indices: readonly number[]): Promise<void> {
    const left = indices.values();
    const work = async () => {
      for (const index of left) found[index] = await matchOne(queries[index] as ListedQuery);
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
  }

  await matchAt([...queries.keys()]);
  const version = findNewest(found);
  const outdated = [...found.keys()].filter((index) => isOutdated(found[index], version));
  if (outdated.length > 0) await matchAt(outdated);
  const outcomes = found.map((each) => (isOutdated(each, version) ? { error: changedAgain() } : each));
  const unavailable = outcomes.find((each) => isFailed(each, 'service_unavailable'));
  if (unavailable && outcomes.every((each) => isFailed(each, 'service_unavailable', 'invalid_request')))
    throw unavailable.error;
  return { version, outcomes };
}

function findNewest(found: readonly Found[]): string | undefined {
  const versions = found.flatMap(({ version }) => version ?? []);
  const generationOf = (version: string) => parseVersion(version).generation;
  return versions.reduce<string | undefined>(
    (newest, each) => (newest === undefined || generationOf(each) > generationOf(newest) ? each : newest),
    undefined,
  );
}

function isOutdated(found: Found | undefined, version: string | undefined): boolean {
  return found?.version !== undefined && found.version !== version;
}

function changedAgain(): Failure {
  return fail('service_unavailable', { message: 'The data changed while it was matched: try again.', retryAfter: 1 });
}

function isFailed(outcome: MatchOutcome, ...codes: readonly Failure['code'][]): outcome is { readonly error: Failure } {
  return 'error' in outcome && outcome.error instanceof Failure && codes.includes(outcome.error.code);
}
