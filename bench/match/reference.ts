import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import type { Db } from '../../src/base/db/db.ts';
import { loadMigrations, migrate } from '../../src/base/db/migrate.ts';
import { openStore } from '../../src/base/db/open.ts';
import { fold } from '../../src/base/fold.ts';
import { numberKeys } from '../../src/base/search-keys.ts';
import type { CandidateSource } from '../../src/search/match/matching.ts';
import { buildIndex } from '../../src/search/memory/build/build.ts';
import { withoutOverlay } from '../../src/search/memory/overlay.ts';
import { createServedIndex } from '../../src/search/memory/served-index.ts';
import { inventedColumns, publish, replaceEntities } from '../search/store.ts';

/** A company of a data set. */
export interface Entry {
  readonly id: string;
  readonly name: string;
  readonly former?: readonly string[];
  readonly number?: string;
  /** If it is another one than that of most entries. */
  readonly country?: string;
}

/** Companies in an index of the product. */
export interface Reference {
  readonly source: CandidateSource;
  /** The id of an entry by the id of its record. */
  readonly idOf: ReadonlyMap<string, string>;
  /** The same without one company. */
  without(id: string): CandidateSource;
  close(): Promise<void>;
}

export async function openReference(cache: string, country: string, entries: readonly Entry[]): Promise<Reference> {
  mkdirSync(cache, { recursive: true });
  const dataDir = mkdtempSync(join(cache, 'match-'));
  const db = openStore('registry', { dataDir, databaseUrl: undefined });
  await migrate(db, loadMigrations('registry'), systemClock);
  const idOf = new Map<string, string>();
  await fill(db, country, entries, idOf);
  const served = createServedIndex();
  served.use(withoutOverlay(await buildIndex(db)));
  return {
    source: served.candidates,
    idOf,
    without: (id) => ({
      async find(asked) {
        const found = await served.candidates.find(asked);
        return { ...found, candidates: found.candidates.filter(({ entity }) => idOf.get(entity.id) !== id) };
      },
    }),
    async close() {
      await db.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function fill(db: Db, country: string, entries: readonly Entry[], idOf: Map<string, string>): Promise<void> {
  const rows = entries.map((entry, at) => {
    const id = `00000000-0000-4000-8000-${at.toString(16).padStart(12, '0')}`;
    idOf.set(id, entry.id);
    return toRow(id, entry.country ?? country, entry, at);
  });
  await replaceEntities(db, rows);
  await publish(db, systemClock.now());
}

function toRow(id: string, country: string, { name, former = [], number = '' }: Entry, at: number): (string | null)[] {
  const registry = { previousNames: former.map((one) => ({ name: one })) };
  const values: Readonly<Partial<Record<(typeof inventedColumns)[number], string | null>>> = {
    id,
    name_key: fold(name),
    canonical_name: name,
    country_code: country,
    status: 'active',
    updated_at: '0',
    number_keys: numberKeys(number === '' ? [] : [number]),
    activity_keys: '',
    register: country.toLowerCase(),
    registration_number: number,
    place: String(at),
    registrations: '[]',
    registry: JSON.stringify(registry),
    source_data: '[]',
  };
  return inventedColumns.map((column) => values[column] ?? null);
}
