import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PartyMode } from '../../src/core/party-modes.ts';
import { migrate, readMigrations } from '../../src/db/migrate.ts';
import { openStore } from '../../src/db/open.ts';
import { importFiles } from '../../src/importing/import.ts';
import type { Register } from '../../src/registers/contract.ts';
import { registers } from '../../src/registers/index.ts';
import { testClock } from '../harness/clock.ts';
import { createDatabase } from '../harness/databases.ts';
import { parseSourceData } from '../harness/source-data.ts';

export interface StoredParty {
  readonly set: string;
  readonly place: number;
  readonly company: string;
  readonly role: string;
  readonly partyRegister: string | null;
  readonly partyNumber: string | null;
  readonly from: string | null;
  readonly current: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: the fields differ by register
  readonly content: any;
  // biome-ignore lint/suspicious/noExplicitAny: the fields differ by register
  readonly sourceData: any;
}

/** Imports hand-written files of parties as if they were official, and returns what the store has of them, in file order. */
export async function importPartyTexts(
  register: Register,
  files: Readonly<Record<string, string | Uint8Array>>,
  mode: PartyMode,
) {
  const database = await createDatabase('sqlite');
  const db = openStore('registry', database);
  try {
    await migrate(db, readMigrations('registry'), testClock());
    const paths = Object.entries(files).map(([name, content]) => {
      const path = join(database.dataDir, name);
      writeFileSync(path, content);
      return path;
    });
    const parties = { all: mode, exceptions: {} };
    const result = await importFiles(db, testClock(), { register, registers, paths, mode: 'full', parties });
    const rows = await db.all<Record<string, string>>(
      'SELECT p.*, l.columns FROM parties p LEFT JOIN layouts l ON l.id = p.layout ORDER BY p.file_id, p.place, p.content',
    );
    return { result, parties: rows.map(readParty) };
  } finally {
    await db.close();
    await database.remove();
  }
}

function readParty(row: Record<string, string | number | null>): StoredParty {
  return {
    set: String(row.set_name),
    place: Number(row.place),
    company: String(row.company),
    role: String(row.role),
    partyRegister: row.party_register as string | null,
    partyNumber: row.party_number as string | null,
    from: row.valid_from as string | null,
    current: Boolean(row.is_current),
    content: JSON.parse(String(row.content)),
    sourceData: parseSourceData(String(row.source_data), row.columns as string | null),
  };
}
