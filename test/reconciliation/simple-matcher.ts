import type { EntitySummary } from '../../src/base/entity-summary.ts';
import type { MatchQuery, MatchReply } from '../../src/search/match/matching.ts';
import { toSearchQuery } from '../../src/search/parameters.ts';
import type { TestService } from '../harness/service.ts';

/**
 * A matcher by search alone, for tests of what is around matching: a name that one company contains is a match, one that several contain
 * is ambiguous. `fails` throws instead of an answer.
 */
export function useSimpleMatcher(
  { services }: Pick<TestService, 'services'>,
  fails: (query: MatchQuery) => Error | undefined = () => undefined,
): void {
  const { matcher, search } = services;
  async function match(query: MatchQuery): Promise<MatchReply> {
    const failure = fails(query);
    if (failure !== undefined) throw failure;
    const { name, country, limit = 5 } = query;
    const q = name.toUpperCase();
    const { version, body, total } = await search.find({ ...toSearchQuery({ q }), country, pageSize: limit });
    const { data } = JSON.parse(Buffer.from(body).toString()) as { data: EntitySummary[] };
    const reasons = [{ feature: 'word', value: name, weight: 4.2, text: `The name contains “${name}”.` }];
    const score = total === 1 ? 0.987 : 0.5;
    const candidates = data.map((entity) => ({ entity, score, match: total === 1, reasons }));
    const status = total === 0 ? 'none' : total === 1 ? 'match' : 'ambiguous';
    return { version, answer: { status, text: `${total} companies fit.`, candidates, bounded: false } };
  }
  Object.assign(matcher, { match });
}
