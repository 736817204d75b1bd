import { summaryFields } from '../../core/entity-summary.ts';
import type { Deadline } from '../../system/deadline.ts';
import { chooseTurnLimits, createAccountTurns } from '../../system/turns.ts';
import { arrangeChoices, type Choice, type Choices, type CountedValue, countedFields } from '../choices.ts';
import { countFacets } from '../count-facets.ts';
import { type FacetName, facetFields } from '../facets.ts';
import { countMeanings, FORM_KEY, toFacet } from '../form-counts.ts';
import { renderMeta, type Search } from '../search.ts';
import { keepPerVersion } from '../store.ts';
import { findResults, type Read, readLines, summarize } from './answer.ts';
import { createCandidates, readNameSample } from './candidates.ts';
import { type ClickhousePlace, openConnection } from './connection.ts';
import { createFollowing, type FollowingOptions } from './following.ts';
import type { OnProgress } from './publication.ts';
import { type Conditions, writeConditions, writeCounts } from './query.ts';
import { prepareNodes } from './schema.ts';
import { type Published, readPublished } from './store.ts';

/**
 * Search in ClickHouse, for data that is larger than one machine. This folder owns what is in ClickHouse: its tables
 * (`schema.ts`), what a query means there (`query.ts`, `answer.ts`), and how it follows the registry (`following.ts`,
 * `publication.ts`, `store.ts`). Shards and replicas are the business of ClickHouse.
 */
export interface ClickhouseSearchOptions extends Omit<FollowingOptions, 'connection'> {
  readonly place: ClickhousePlace;
  /** How many results are sorted at once. */
  readonly maxSorted?: number;
}

export interface ClickhouseSearch extends Search {
  /** Checks all nodes and creates the database there. Throws what the operator has to change. */
  prepare(): Promise<void>;
  readPublished(): Promise<Published | undefined>;
  /** Publishes all entities again. Returns false if another process is publishing. */
  rebuild(onProgress: OnProgress): Promise<boolean>;
}

/** Stopped a little earlier than the request times out, so that the client learns the reason. */
const STOP_MS = 150;
/** How many searches of this thread run at the same time. */
const SEARCHES = 16;
const NO_DEADLINE = Number.POSITIVE_INFINITY;

export function createClickhouseSearch(options: ClickhouseSearchOptions): ClickhouseSearch {
  const { place, maxSorted = 10_000, accountsDb } = options;
  const connection = openConnection(place);
  const following = createFollowing({ ...options, connection });
  const turns = createAccountTurns(chooseTurnLimits(SEARCHES));
  const version = async () => following.current().version;
  const choices = keepPerVersion(version, () => countChoices(connection.read, following.current()));
  const sample = keepPerVersion(version, () => readNameSample(connection.read, following.current()));

  /** Runs work with a function that reads until the deadline, in the turn of the account. */
  async function inTurn<T>(account: string, deadline: Deadline, work: (read: Read) => Promise<T>): Promise<T> {
    const stopAt = deadline - STOP_MS;
    return turns.run(account, stopAt, () => work((sql) => connection.read(sql, stopAt)));
  }

  return {
    refresh: following.refresh,
    start: following.start,
    isReady: following.isReady,
    prepare: async () => void (await prepareNodes(connection)),
    readPublished: () => readPublished(accountsDb),
    rebuild: following.rebuild,
    readFigures: following.readFigures,
    version: following.version,
    async find(query, account = '', deadline = NO_DEADLINE) {
      const published = following.current();
      const { page, pageSize } = query;
      const from = Math.min((page - 1) * pageSize, Number.MAX_SAFE_INTEGER - pageSize);
      return inTurn(account, deadline, async (read) => {
        const window = { from, to: from + pageSize };
        const { total, parts } = await findResults({ read, published, maxSorted }, query, window);
        const data: object[] = [];
        for await (const rows of parts) data.push(...rows.map(([values]) => summarize(values)));
        const body = Buffer.from(`{"data":${JSON.stringify(data)},"meta":${renderMeta(query, total)}}`);
        return { version: published.version, total, body };
      });
    },
    async readAll(query, use, account = '', deadline = NO_DEADLINE) {
      const published = following.current();
      const { total } = await inTurn(account, deadline, (read) =>
        findResults({ read, published, maxSorted }, query, { from: 0, to: 0 }),
      );
      // Each part takes a turn, so that a download does not keep others from searching.
      const read: Read = (sql) => inTurn(account, NO_DEADLINE, (readNow) => readNow(sql));
      const source = { read, published, maxSorted };
      return use({ version: published.version, total, read: (limit) => readLines(source, query, limit) });
    },
    async countFacets(query, account = '', deadline = NO_DEADLINE) {
      const published = following.current();
      return countFacets(query, async (of, names) =>
        inTurn(account, deadline, async (read) => {
          const facets: Partial<Record<FacetName, Choice[]>> = {};
          // A row can have several industries, so they are not counted with the others.
          for (const group of Object.values(Object.groupBy(names, (name) => String(name === 'isic')))) {
            const sql = writeCounts(published, group?.map(expressionOf) ?? [], writeConditions(of));
            const rows = await read<CountedRow>(sql);
            for (const [at, name] of group?.entries() ?? []) facets[name] = toFacet(name, addUp(rows, at));
          }
          return facets;
        }),
      );
    },
    listChoices: choices.read,
    candidates: createCandidates(following.current, inTurn, sample.read),
    async close() {
      const closing = following.close();
      // Ends what is running, too: a node that hangs must not delay a shutdown.
      await connection.close();
      await Promise.all([closing, choices.close(), sample.close()]);
    },
  };
}

function expressionOf(name: FacetName): string {
  if (name === 'isic') return 'arrayJoin(arrayFilter(code -> length(code) <= 2, isic_codes))';
  return name === 'legalFormClass' ? FORM_KEY : summaryFields[facetFields[name]].column;
}

/** The values of some expressions, and how many entities have them together. */
type CountedRow = readonly [...values: (string | null)[], entities: number];

function addUp(rows: readonly CountedRow[], at: number): Map<string | null, number> {
  const counts = new Map<string | null, number>();
  for (const row of rows) {
    const value = (row[at] ?? null) as string | null;
    counts.set(value, (counts.get(value) ?? 0) + Number(row.at(-1)));
  }
  return counts;
}

async function countChoices(read: Read, published: Published): Promise<Choices> {
  const count = (expressions: readonly string[], conditions?: Conditions) =>
    read<CountedRow>(writeCounts(published, expressions, conditions));
  const countByCountry = async (expression: string) =>
    (await count(['country_code', expression])).map(([country, value, entities]) => ({
      ...{ country: String(country), value: value as string | null, entities: Number(entities) },
    }));
  const counts: CountedValue[] = [];
  for (const field of countedFields) {
    for (const row of await countByCountry(summaryFields[field].column)) counts.push({ ...row, field });
  }
  for (const { value, ...row } of await countByCountry('arrayJoin(activity_keys)')) {
    counts.push({ ...row, activityKey: value ?? '' });
  }
  const formRows = await countByCountry(FORM_KEY);
  const forms = countMeanings(formRows.map(({ value, ...row }) => ({ ...row, form: value ?? '' })));
  const codes = addUp(await count(['arrayJoin(isic_codes)']), 0) as Map<string, number>;
  const registers = addUp(await count(['register'], { others: ['notEmpty(isic_codes)'] }), 0) as Map<string, number>;
  return arrangeChoices([...counts, ...forms.values], { codes, registers }, forms.registers);
}
