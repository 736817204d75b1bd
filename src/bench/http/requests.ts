import { openStore } from '../../db/open.ts';
import { createChance } from '../../registers/synthetic.ts';
import { drawQueries, readSamples } from '../search/queries.ts';
import { readId } from './store.ts';

/** What `bench http` asks an endpoint for. */
export interface Endpoint {
  readonly name: EndpointName;
  readonly paths: readonly string[];
}

export const endpointNames = ['search', 'detail', 'countries'] as const;
export type EndpointName = (typeof endpointNames)[number];

/** How many queries of each class of `bench search`: 20 as people and programs would send them, more rare than broad. */
const MIX: Readonly<Record<string, number>> = {
  'rare fragment': 5,
  'common word': 4,
  '1 letter': 1,
  '2 letters': 1,
  '3 letters': 3,
  'two words': 3,
  'number fragment': 3,
};

/** Evenly from all of the store, in an order of chance: more than any cache of pages in the process holds. */
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
    ];
  } finally {
    await db.close();
  }
}
