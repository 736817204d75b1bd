import { openStore } from '../../src/base/db/open.ts';
import { createChance } from '../../synthetic/chance.ts';
import { drawQueries, readSamples } from '../search/queries.ts';
import { readId } from './store.ts';

/** An endpoint and the paths that `bench http` requests from it. */
export interface Endpoint {
  readonly name: EndpointName;
  readonly paths: readonly string[];
  /** Whether its answers cost nothing. */
  readonly isFree?: boolean;
}

export type EndpointName = 'search' | 'detail' | 'countries' | 'feed' | 'page';

/** How many queries of each class of `bench search` to send: 20 in all, with more rare than broad ones, as in real use. */
const MIX: Readonly<Record<string, number>> = {
  'rare fragment': 5,
  'common word': 4,
  '1 letter': 1,
  '2 letters': 1,
  '3 letters': 3,
  'two words': 3,
  'number fragment': 3,
};

/** Ids spread evenly over the store, in random order. More than the process caches. */
const IDS = 5_000;

export async function drawEndpoints(folder: string, rows: number): Promise<Endpoint[]> {
  const db = openStore('registry', { dataDir: folder, databaseUrl: undefined });
  try {
    const classes = drawQueries(await readSamples(db, rows), rows);
    const queries = classes.flatMap((queryClass) => queryClass.queries.slice(0, MIX[queryClass.name] ?? 0));
    const count = Math.min(rows, IDS);
    const ids: string[] = [];
    for (let index = 0; index < count; index++) {
      const id = await readId(db, Math.floor((index * rows) / count) + 1);
      if (id !== undefined) ids.push(id);
    }
    const chance = createChance(2_026);
    const shuffled = ids.map((id) => ({ id, order: chance.next() })).sort((a, b) => a.order - b.order);
    return [
      { name: 'search', paths: queries.map(({ q }) => `/api/v1/entities?q=${encodeURIComponent(q)}`) },
      { name: 'detail', paths: shuffled.map(({ id }) => `/api/v1/entities/${id}`) },
      { name: 'countries', paths: ['/api/v1/countries'] },
      // A client that asks for news and finds none.
      { name: 'feed', paths: ['/api/v1/changes?cursor=now'], isFree: true },
      { name: 'page', paths: ['/'], isFree: true },
    ];
  } finally {
    await db.close();
  }
}
