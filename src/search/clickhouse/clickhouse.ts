import type { Deadline } from '../../base/system/deadline.ts';
import { chooseTurnLimits, createTurns } from '../../base/system/turns.ts';
import { readForm } from '../../registers/classifications/elf.ts';
import { addCount, type Choice, ChoiceCounts, type Choices, type FacetName, toChoices } from '../choices.ts';
import { countFacets, renderMeta, type Search } from '../search.ts';
import { createCandidates, readNameSample } from './candidates.ts';
import { type ClickhousePlace, openConnection } from './connection.ts';
import { createFollowing, type FollowingOptions, type OnProgress } from './following.ts';
import { describeHits, findResults, type Read, readLines, writeConditions, writeCounts } from './query.ts';
import { prepareNodes } from './schema.ts';
import { type Published, readPublished } from './store.ts';

/**
 * Search in ClickHouse, for data that is larger than one machine. This folder owns what is in ClickHouse: its tables (`schema.ts`), how a
 * query is translated (`query.ts`), and how ClickHouse follows the registry (`following.ts`, `store.ts`), but not shards and replicas.
 */
export interface ClickhouseSearchOptions extends Omit<FollowingOptions, 'connection'> {
  readonly place: ClickhousePlace;
  /** The maximum number of results that are sorted at once. */
  readonly maxSorted?: number;
}

export interface ClickhouseSearch extends Search {
  /** Checks all nodes and creates the database on each. The error describes what the operator has to change. */
  prepare(): Promise<void>;
  readPublished(): Promise<Published | undefined>;
  /** Publishes all entities again. Returns false if another process is publishing. */
  rebuild(onProgress: OnProgress): Promise<boolean>;
}

/** A search is stopped this long before the request times out, so that the client gets the reason. */
const STOP_MS = 150;
/** The maximum number of searches that this thread runs at the same time. */
const SEARCHES = 16;
const NO_DEADLINE = Number.POSITIVE_INFINITY;

export function createClickhouseSearch(options: ClickhouseSearchOptions): ClickhouseSearch {
  const { place, maxSorted = 10_000, accountsDb } = options;
  const connection = openConnection(place);
  const following = createFollowing({ ...options, connection });
  const turns = createTurns(chooseTurnLimits(SEARCHES), 'searches');
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
        const describe = describeHits(query);
        const { total, parts } = await findResults({ read, published, maxSorted }, query, window);
        const data: object[] = [];
        for await (const rows of parts) data.push(...rows.map(([values]) => describe(values)));
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
          const conditions = writeConditions(of);
          const combined = names.filter((name) => name !== 'isic');
          const rows =
            combined.length === 0 ? [] : await read<CombinedRow>(writeCounts(published, COMBINED, conditions));
          for (const name of combined) {
            const counts = new Map<string | null, number>();
            for (const row of rows) addCount(counts, VALUES[name](row), row[COMBINED.length] as number);
            facets[name] = toChoices(counts);
          }
          // An entity can have several industries, so industries are not counted together with the other fields.
          if (names.includes('isic'))
            facets.isic = toChoices(await read<CountedRow>(writeCounts(published, [INDUSTRIES], conditions)));
          return facets;
        }),
      );
    },
    listChoices: choices.read,
    candidates: createCandidates(following.current, inTurn, sample.read),
    async close() {
      const closing = following.close();
      // Also ends the requests in progress: a node that hangs must not delay a shutdown.
      await connection.close();
      await Promise.all([closing, choices.close(), sample.close()]);
    },
  };
}

/** The fields that are counted together, because few combinations of their values occur. */
const COMBINED = ['country_code', 'register', 'jurisdiction', 'status', 'legal_form', 'legal_form_code'];
type CombinedRow = readonly [
  country: string,
  register: string | null,
  jurisdiction: string | null,
  status: string,
  legalForm: string | null,
  legalFormCode: string | null,
  entities: number,
];

const VALUES: Readonly<Record<Exclude<FacetName, 'isic'>, (row: CombinedRow) => string | null>> = {
  country: ([country]) => country,
  register: ([, register]) => register,
  jurisdiction: ([, , jurisdiction]) => jurisdiction,
  status: ([, , , status]) => status,
  legalForm: ([, , , , legalForm]) => legalForm,
  legalFormClass: ([, register, , , legalForm, code]) => readForm(register, code, legalForm).legalFormClass,
};

/** The sections and divisions of the activities of an entity. */
const INDUSTRIES = 'arrayJoin(arrayFilter(code -> length(code) <= 2, isic_codes))';
type CountedRow = readonly [value: string, entities: number];

async function countChoices(read: Read, published: Published): Promise<Choices> {
  const counts = new ChoiceCounts();
  for (const row of await read<CombinedRow>(writeCounts(published, COMBINED))) {
    const [country, register, jurisdiction, status, legalForm, code, entities] = row;
    counts.add(country, 'register', register, entities);
    counts.add(country, 'jurisdiction', jurisdiction, entities);
    counts.add(country, 'status', status, entities);
    counts.add(country, 'legalForm', legalForm, entities);
    counts.addForm(country, register ?? '', readForm(register, code, legalForm), entities);
  }
  const activities = writeCounts(published, ['country_code', 'arrayJoin(activity_keys)']);
  for (const [country, key, entities] of await read<[country: string, key: string, entities: number]>(activities))
    counts.add(country, 'activityKey', key, entities);
  const codes = writeCounts(published, ['arrayJoin(isic_codes)']);
  for (const [code, entities] of await read<CountedRow>(codes)) addCount(counts.isic.codes, code, entities);
  const registers = writeCounts(published, ['register'], { others: ['notEmpty(isic_codes)'] });
  for (const [register, entities] of await read<CountedRow>(registers))
    addCount(counts.isic.registers, register, entities);
  return counts.arrange();
}

/**
 * Caches a value that takes long to read, and reads the value again for each version of the data; callers meanwhile get the old value.
 */
function keepPerVersion<T>(currentVersion: () => Promise<string>, readValue: () => Promise<T>) {
  let latest: { readonly version: string; readonly value: T } | undefined;
  let reading: Promise<T> | undefined;
  async function readNext(version: string): Promise<T> {
    try {
      const value = await readValue();
      latest = { version, value };
      return value;
    } finally {
      reading = undefined;
    }
  }
  return {
    async read(): Promise<T> {
      const version = await currentVersion();
      if (latest?.version === version) return latest.value;
      reading ??= readNext(version);
      if (latest === undefined) return reading;
      reading.catch(() => undefined);
      return latest.value;
    },
    /** Waits for a read in progress. */
    async close(): Promise<void> {
      await reading?.catch(() => undefined);
    },
  };
}
