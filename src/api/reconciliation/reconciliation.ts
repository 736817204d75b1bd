import type { EntitySummary } from '../../base/entity-summary.ts';
import { Failure, fail } from '../../base/errors.ts';
import { isUuid } from '../../base/ids.ts';
import type { Registry } from '../../registry/registry.ts';
import { type MatchOutcome, matchEach } from '../../search/match/batch.ts';
import type { MatchCandidate, Matcher, Requester } from '../../search/match/matching.ts';
import { toSearchQuery } from '../../search/parameters.ts';
import type { Search } from '../../search/search.ts';
import { type Asked, readEntityId } from './asked.ts';
import { findProperty, type PropertyValue, type RecordValue } from './properties.ts';

/**
 * The Reconciliation Service API (W3C community group): programs such as OpenRefine match names with companies, and add columns to them.
 * This folder owns the messages of version 0.2, which OpenRefine speaks (`messages.ts`), the manifest, and which properties companies have. It does not own matching, or how requests are authenticated, charged and sent.
 */
interface Reconciliation {
  /** One result per query, in their order. A failure of ours is thrown: an empty result would look like "no such company". */
  match(asked: readonly Asked[], requester: Requester): Promise<Answered<readonly Matched[]>>;
  /** The values of companies, one row per id, in their order. A row of an unknown id is empty and costs nothing. */
  extend(query: ExtendQuery): Promise<Answered<readonly Extended[]>>;
  /** Companies for a field that completes what is typed. */
  suggest(wanted: Suggestion, requester: Requester): Promise<Answered<readonly EntitySummary[]>>;
  /** Throws `entity_not_found`. */
  preview(id: string): Promise<Answered<RecordValue>>;
}

interface Answered<T> {
  readonly version: string;
  readonly content: T;
  /** How many queries were answered, or companies read. */
  readonly units: number;
}

export interface Matched {
  readonly candidates: readonly MatchCandidate[];
  /** What is wrong with the query. It has no candidates and costs nothing. */
  readonly error?: string;
}

export interface ExtendQuery {
  readonly ids: readonly string[];
  readonly properties: readonly string[];
}

export interface Extended {
  readonly id: string;
  readonly values: readonly (readonly PropertyValue[])[];
}

interface Suggestion {
  readonly prefix: string;
  readonly country: string | undefined;
  readonly limit: number;
  /** How many results to skip: a multiple of the limit. */
  readonly offset: number;
}

interface ReconciliationServices {
  readonly matcher: Matcher;
  readonly registry: Pick<Registry, 'findExcerpt' | 'version'>;
  readonly search: Pick<Search, 'find' | 'version'>;
}

export function createReconciliation({ matcher, registry, search }: ReconciliationServices): Reconciliation {
  const findRecord = async (id: string | undefined) =>
    id !== undefined && isUuid(id) ? registry.findExcerpt(id.toLowerCase()) : undefined;

  return {
    async match(asked, requester) {
      const [{ version, outcomes }, records] = await Promise.all([
        matchEach(
          matcher,
          asked.map(({ id, listed }) => (id === undefined ? listed : BY_ID)),
          requester,
        ),
        Promise.all(asked.map(({ id }) => findRecord(id))),
      ]);
      const matched = outcomes.filter((each) => 'answer' in each).length;
      if (requester.isGone?.() === true) return { version: version ?? '', content: [], units: matched };
      const content = asked.map((each, at): Matched => {
        if ('error' in each.listed) return { candidates: [], error: describeProblem(each.listed.error) };
        if (each.id === undefined) return readOutcome(outcomes[at] as MatchOutcome, each);
        const entity = records[at]?.content.value as unknown as EntitySummary | undefined;
        return { candidates: entity === undefined ? [] : [givenById(entity)] };
      });
      const units = content.filter(({ error }) => error === undefined).length;
      return { version: version ?? (await search.version()), content, units };
    },
    async extend({ ids, properties }) {
      const records = await Promise.all(ids.map(findRecord));
      const content = ids.map((id, at) => {
        const record = records[at]?.content.value;
        const readValues = (property: string) => (record && findProperty(property)?.readValues(record)) ?? [];
        return { id, values: properties.map(readValues) };
      });
      const found = records.filter((record) => record !== undefined);
      return { version: found[0]?.version ?? (await registry.version()), content, units: found.length };
    },
    async suggest({ prefix, country, limit, offset }, { account, deadline }) {
      const record = await findRecord(readEntityId(prefix));
      if (record !== undefined)
        return { version: record.version, content: [record.content.value as unknown as EntitySummary], units: 1 };
      const page = Math.floor(offset / limit) + 1;
      const query = { ...toSearchQuery({ q: prefix, page, pageSize: limit }), country };
      const { version, body } = await search.find(query, account, deadline);
      const { data } = JSON.parse(Buffer.from(body).toString()) as { readonly data: readonly EntitySummary[] };
      return { version, content: data, units: 1 };
    },
    async preview(id) {
      const record = await findRecord(id);
      if (record === undefined) throw fail('entity_not_found');
      return { version: record.version, content: record.content.value, units: 1 };
    },
  };
}

/** In place of a query that is answered without the matcher. */
const BY_ID = { error: fail('invalid_request') } as const;

function readOutcome(outcome: MatchOutcome, { isDoubtful }: Asked): Matched {
  if ('error' in outcome) throw unavailable(outcome.error);
  const { candidates } = outcome.answer;
  return { candidates: isDoubtful ? candidates.map((each) => ({ ...each, match: false })) : candidates };
}

function givenById(entity: EntitySummary): MatchCandidate {
  const reasons = [{ feature: 'id', value: entity.id, weight: 10, text: 'The query is the id of this company.' }];
  return { entity, score: 1, match: true, reasons };
}

/** Clients repeat a request after this error. After another one, OpenRefine would leave the cells of the whole batch empty. */
function unavailable(error: unknown): Failure {
  if (error instanceof Failure && error.code === 'service_unavailable') return error;
  return fail('service_unavailable', { cause: error, retryAfter: 1 });
}

function describeProblem(error: unknown): string {
  if (error instanceof Failure && error.code === 'invalid_request') return error.message;
  throw error;
}
