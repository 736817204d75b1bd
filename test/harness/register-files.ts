import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PartyModes } from '../../src/core/party-modes.ts';
import { migrate, readMigrations } from '../../src/db/migrate.ts';
import { openStore } from '../../src/db/open.ts';
import { importFiles } from '../../src/importing/import.ts';
import type { ImportResult } from '../../src/importing/import-result.ts';
import type { Register } from '../../src/registers/contract.ts';
import { registers } from '../../src/registers/index.ts';
import { testClock } from './clock.ts';
import { createDatabase } from './databases.ts';
import { parseSourceData } from './source-data.ts';

export interface ReadEntity {
  readonly id: string;
  readonly countryCode: string;
  readonly canonicalName: string;
  readonly status: string;
  readonly legalForm: string | null;
  readonly registeredAt: string | null;
  /** The search keys of its activities: `u` followed by the code or label. */
  readonly activities: readonly string[];
  // biome-ignore lint/suspicious/noExplicitAny: the fields differ by register
  readonly [json: string]: any;
}

/** Persons are left out. */
export const ORGANISATIONS: PartyModes = { all: 'organisations', exceptions: {} };

/** Imports hand-written files of a register as if they were official, and returns the entities in file order. */
export async function importTexts(
  register: Register,
  files: Readonly<Record<string, string | Uint8Array>>,
  parties?: PartyModes,
): Promise<{ result: ImportResult; entities: ReadEntity[] }> {
  const database = await createDatabase('sqlite');
  const db = openStore('registry', database);
  try {
    await migrate(db, readMigrations('registry'), testClock());
    const paths = Object.entries(files).map(([name, content]) => {
      const path = join(database.dataDir, name);
      writeFileSync(path, content);
      return path;
    });
    const request = { register, registers, paths, mode: 'partial', ...(parties && { parties }) } as const;
    const result = await importFiles(db, testClock(), request);
    const rows = await db.all<Record<string, string>>(
      `SELECT e.*, layouts.columns FROM entities e LEFT JOIN layouts ON layouts.id = e.layout ORDER BY file_id, place`,
    );
    return { result, entities: rows.map(readEntity) };
  } finally {
    await db.close();
    await database.remove();
  }
}

function readEntity(row: Record<string, string>): ReadEntity {
  return {
    id: row.id ?? '',
    countryCode: row.country_code ?? '',
    canonicalName: row.canonical_name ?? '',
    status: row.status ?? '',
    legalForm: row.legal_form ?? null,
    registeredAt: row.registered_at ?? null,
    activities: (row.activity_keys ?? '').split('\n').filter(Boolean),
    registrations: JSON.parse(row.registrations ?? '[]'),
    registry: JSON.parse(row.registry ?? '{}'),
    sourceData: parseSourceData(row.source_data ?? '', row.columns ?? null),
  };
}
