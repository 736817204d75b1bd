import { summaryFields } from '../../core/entity-summary.ts';
import type { Log } from '../../core/log.ts';
import type { Db } from '../../db/db.ts';
import type { Deadline } from '../../system/deadline.ts';
import type { Choices } from '../choices.ts';
import { countFacets } from '../count-facets.ts';
import { facetFields } from '../facets.ts';
import { FORM_KEY, toFacet } from '../form-counts.ts';
import { renderMeta, type Search } from '../search.ts';
import { type CountByCountry, readChoices } from '../sql-choices.ts';
import { chooseTurnLimits, createTurns } from '../turns.ts';
import { findPage, type Read, readLines } from './answer.ts';
import { createCandidates, readNameSample } from './candidates.ts';
import { type ClickhousePlace, openConnection } from './connection.ts';
import { createFollowing, type FollowingOptions } from './following.ts';
import type { Progress } from './publication.ts';
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
  readonly registryDb: Db;
  readonly accountsDb: Db;
  readonly log: Log;
  /** How many searches of this thread run at the same time. */
  readonly searches?: number;
}

export interface ClickhouseSearch extends Search {
  /** Checks all nodes and creates the database there. Throws what the operator has to change. */
  prepare(): Promise<void>;
  readPublished(): Promise<Published | undefined>;
  /** Publishes all entities again. Returns false if another process is publishing. */
  rebuild(onProgress: (progress: Progress) => void): Promise<boolean>;
}

/** Stopped a little earlier than the request times out, so that the client learns the reason. */
const STOP_MS = 150;

export function createClickhouseSearch({
  place,
  searches = 16,
  ...options
}: ClickhouseSearchOptions): ClickhouseSearch {
  const connection = openConnection(place);
  const following = createFollowing({ ...options, connection });
  const turns = createTurns(chooseTurnLimits(searches));
  const readWhenever: Read = (sql) => connection.read(sql);
  const choices = keepPerPublication((published) => countChoices(readWhenever, published));
  const sample = keepPerPublication((published) => readNameSample(readWhenever, published));

  /** Runs work with a function that reads until the deadline, in the turn of the account. */
  async function inTurn<T>(account: string, deadline: Deadline, work: (read: Read) => Promise<T>): Promise<T> {
    const stopAt = deadline - STOP_MS;
    const read: Read = (sql) => connection.read(sql, stopAt);
    return turns.run(account, stopAt, () => work(read));
  }

  return {
    refresh: following.refresh,
    start: following.start,
    isReady: following.isReady,
    prepare: async () => void (await prepareNodes(connection, options.minVersion)),
    readPublished: () => readPublished(options.accountsDb),
    rebuild: following.rebuild,
    readFigures: following.readFigures,
    version() {
      following.requireHealthy();
      return following.current().version;
    },
    async find(query, account = '', deadline = Number.POSITIVE_INFINITY) {
      const published = following.current();
      const { total, data } = await inTurn(account, deadline, (read) => findPage({ read, published }, query));
      const body = Buffer.from(`{"data":${JSON.stringify(data)},"meta":${renderMeta(query, total)}}`);
      return { version: published.version, total, body };
    },
    async readAll(query, use, account = '', deadline = Number.POSITIVE_INFINITY) {
      const published = following.current();
      const { version } = published;
      const none = { ...query, page: 1, pageSize: 0 };
      const { total } = await inTurn(account, deadline, (read) => findPage({ read, published }, none));
      // Each part takes a turn, so that a download does not keep others from searching.
      const read: Read = (sql) => inTurn(account, Number.POSITIVE_INFINITY, (readNow) => readNow(sql));
      return use({ version, total, read: (limit) => readLines({ read, published }, query, limit) });
    },
    async countFacets(query, account = '', deadline = Number.POSITIVE_INFINITY) {
      const published = following.current();
      return countFacets(query, async (of, names) =>
        inTurn(account, deadline, async (read) => {
          const conditions = writeConditions(of);
          const stored = names.filter((name) => name !== 'isic');
          const columns = stored.map((name) =>
            name === 'legalFormClass' ? FORM_KEY : summaryFields[facetFields[name]].column,
          );
          const rows = stored.length === 0 ? [] : await read<CountedRow>(writeCounts(published, columns, conditions));
          const facets = stored.map((name, at) => [name, toFacet(name, addUp(rows, at))] as const);
          if (!names.includes('isic')) return Object.fromEntries(facets);
          const industries = await read<CountedRow>(writeCounts(published, [INDUSTRIES], conditions));
          return { ...Object.fromEntries(facets), isic: toFacet('isic', addUp(industries, 0)) };
        }),
      );
    },
    listChoices: async () => choices(following.current()),
    candidates: createCandidates(following.current, inTurn, sample),
    async close() {
      const closing = following.close();
      // Ends what is running, too: a node that hangs must not delay a shutdown.
      await connection.close();
      await closing;
    },
  };
}

/** Keeps what takes long to read. */
function keepPerPublication<T>(read: (published: Published) => Promise<T>): (published: Published) => Promise<T> {
  let kept: { readonly publication: number; readonly value: Promise<T> } | undefined;
  return (published) => {
    if (kept?.publication !== published.publication) {
      const value = read(published);
      kept = { publication: published.publication, value };
      value.catch(() => {
        kept = undefined;
      });
    }
    return kept.value;
  };
}

/** The sections and divisions of ISIC of a row. */
const INDUSTRIES = 'arrayJoin(arrayFilter(code -> length(code) <= 2, isic_codes))';

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
  const byCountry: CountByCountry = async (expression) =>
    (await count(['country_code', expression])).map(([country, value, entities]) => ({
      ...{ country: String(country), value: value as string | null, entities: Number(entities) },
    }));
  const codes = addUp(await count(['arrayJoin(isic_codes)']), 0) as Map<string, number>;
  const registers = addUp(await count(['register'], { others: ['notEmpty(isic_codes)'] }), 0) as Map<string, number>;
  return readChoices(byCountry, 'arrayJoin(activity_keys)', { codes, registers });
}
