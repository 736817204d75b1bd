import { summaryFields } from '../../core/entity-summary.ts';
import { fail } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Db } from '../../db/db.ts';
import type { Deadline } from '../../system/deadline.ts';
import { arrangeChoices, type Choices, type CountedValue, countedFields } from '../choices.ts';
import { countFacets } from '../count-facets.ts';
import { countMeanings, FORM_KEY, toFacet } from '../form-counts.ts';
import { renderMeta, type Search } from '../search.ts';
import { chooseTurnLimits, createTurns } from '../turns.ts';
import { countWhole, findPage, type Read, readLines } from './answer.ts';
import { type ClickhousePlace, openConnection } from './connection.ts';
import { createFollowing, type FollowingOptions } from './following.ts';
import type { Progress } from './publication.ts';
import { writeChoices, writeClassified, writeConditions, writeFacets, writeIndustries } from './query.ts';
import { createDatabase, readCluster } from './schema.ts';
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
  let counted: { readonly version: string; readonly choices: Promise<Choices> } | undefined;

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
    async prepare() {
      await readCluster(connection, options.minVersion);
      await createDatabase(connection);
    },
    readPublished: () => readPublished(options.accountsDb),
    rebuild: following.rebuild,
    readFigures: following.readFigures,
    version() {
      following.requireHealthy();
      return following.current().version;
    },
    async find(query, account = '', deadline = Number.POSITIVE_INFINITY) {
      const published = following.current();
      const { total, data } = await inTurn(account, deadline, (read) => findPage(read, published, query));
      const body = Buffer.from(`{"data":${JSON.stringify(data)},"meta":${renderMeta(query, total)}}`);
      return { version: published.version, total, body };
    },
    async readAll(query, use, account = '', deadline = Number.POSITIVE_INFINITY) {
      const published = following.current();
      const { version } = published;
      const total = await inTurn(account, deadline, (read) => countWhole(read, published, query));
      // Each part takes a turn, so that a download does not keep others from searching.
      const read: Read = (sql) => inTurn(account, Number.POSITIVE_INFINITY, (readNow) => readNow(sql));
      return use({ version, total, read: (limit) => readLines(read, published, query, limit) });
    },
    async countFacets(query, account = '', deadline = Number.POSITIVE_INFINITY) {
      const published = following.current();
      return countFacets(query, async (of, names) =>
        inTurn(account, deadline, async (read) => {
          const conditions = writeConditions(of);
          const stored = names.filter((name) => name !== 'isic');
          const rows = stored.length === 0 ? [] : await read<Counted>(writeFacets(published, conditions, stored));
          const facets = stored.map((name, at) => [name, toFacet(name, addUp(rows, at))] as const);
          if (!names.includes('isic')) return Object.fromEntries(facets);
          const industries = await read<Counted>(writeIndustries(published, conditions));
          return { ...Object.fromEntries(facets), isic: toFacet('isic', addUp(industries, 0)) };
        }),
      );
    },
    listChoices() {
      const published = following.current();
      if (counted?.version !== published.version) {
        const choices = readChoices((sql) => connection.read(sql), published);
        counted = { version: published.version, choices };
        choices.catch(() => {
          counted = undefined;
        });
      }
      return counted.choices;
    },
    candidates: {
      find() {
        throw fail('service_unavailable', {
          message: 'Matching is not available in this installation: search by a part of the name.',
        });
      },
    },
    async close() {
      const closing = following.close();
      // Ends what is running, too: a node that hangs must not delay a shutdown.
      await connection.close();
      await closing;
    },
  };
}

/** The rows have the values of several columns and a count. */
type Counted = (string | number | null)[];

function addUp(rows: readonly Readonly<Counted>[], at: number): Map<string | null, number> {
  const counts = new Map<string | null, number>();
  for (const row of rows) {
    const value = (row[at] ?? null) as string | null;
    counts.set(value, (counts.get(value) ?? 0) + Number(row.at(-1)));
  }
  return counts;
}

async function readChoices(read: Read, published: Published): Promise<Choices> {
  const counts: CountedValue[] = [];
  type Row = [country: string, value: string | null, entities: number];
  for (const field of countedFields) {
    const rows = await read<Row>(writeChoices(published, summaryFields[field].column));
    counts.push(...rows.map(([country, value, entities]) => ({ country, field, value, entities })));
  }
  const activities = await read<Row>(writeChoices(published, 'arrayJoin(activity_keys)'));
  counts.push(...activities.map(([country, key, entities]) => ({ country, activityKey: key ?? '', entities })));
  const forms = countMeanings(
    (await read<Row>(writeChoices(published, FORM_KEY))).map(([country, form, entities]) => ({
      country,
      form: form ?? '',
      entities,
    })),
  );
  const isic = await read<Row>(writeChoices(published, 'arrayJoin(isic_codes)'));
  const registers = await read<[register: string, entities: number]>(writeClassified(published));
  return arrangeChoices(
    [...counts, ...forms.values],
    { codes: addUp(isic, 1) as Map<string, number>, registers: new Map(registers) },
    forms.registers,
  );
}
