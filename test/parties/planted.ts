import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { Db } from '../../src/base/db/db.ts';
import type { PartyModes } from '../../src/base/party-modes.ts';
import { importFiles } from '../../src/import/import.ts';
import { br } from '../../src/registers/br/register.ts';
import type { Register } from '../../src/registers/contract.ts';
import { registers } from '../../src/registers/index.ts';
import { md } from '../../src/registers/md/register.ts';
import { writeSynthetic } from '../../synthetic/writers/write.ts';
import { findRelations } from '../db/relation-files.ts';
import type { TestDatabase } from '../harness/databases.ts';
import type { TestService } from '../harness/service.ts';
import { CODES, company, csv, establishment } from '../registers/br-files.ts';

/** Names of persons that can be found in any file: 400 in parties, 300 in records of Moldova, 300 in records of Brazil. */
const MARK = 'ZQPLANTED';
export const plantedName = (number: number) => `${MARK}${String(number).padStart(4, '0')} IOANA`;
const SPANS = { parties: [0, 400], md: [400, 700], br: [700, 1_000] } as const;

export function holdsPlanted(bytes: Buffer | string): boolean {
  return holds(bytes, MARK);
}

function holds(bytes: Buffer | string, name: string): boolean {
  return new RegExp(name, 'i').test(typeof bytes === 'string' ? bytes : bytes.toString('latin1'));
}

const numbers = ([first, end]: readonly [number, number]) =>
  Array.from({ length: end - first }, (_, index) => first + index);

/** Three persons and an organisation per company. `edition` 2 has other roles, so that each record changes. */
export async function importPlanted(service: TestService, parties: PartyModes, edition: 1 | 2): Promise<void> {
  // Not in DATA_DIR: these are the files of the publisher.
  const folder = mkdtempSync(join(tmpdir(), 'firmament-planted-'));
  await importMoldova(service, folder, parties, edition);
  await importBrazil(service, folder, parties, edition);
}

async function importInto({ services, clock }: TestService, register: Register, paths: string[], parties: PartyModes) {
  await importFiles(services.registryDb, clock, { register, registers, paths, parties, mode: 'full', again: true });
}

async function importMoldova(service: TestService, folder: string, parties: PartyModes, edition: 1 | 2) {
  const rows = Array.from({ length: 100 }, (_, index) => {
    const [one, two, three] = numbers([400 + index * 3, 403 + index * 3]).map(plantedName);
    const founders = `${two} (60,00%), SRL "FONDATOR ${index}", IDNO 1003600012345 (40,00%)`;
    return {
      'IDNO/ Cod fiscal': String(1_003_600_100_000 + index),
      'Denumirea completă': `PLAI ${index} S.R.L.`,
      // One record is so long that a thread of its own reads it.
      'Data înregistrării': '34116',
      'Forma org./jurid.': 'Societate cu răspundere limitată',
      Adresa: 'MD-2001, CHIȘINĂU, str. Columna, 5',
      'Genuri de activitate nelicentiate': '111',
      'Genuri de activitate licentiate': '',
      'Lista conducătorilor (cu indicarea rolurilor)':
        `${one} [${edition === 1 ? 'Administrator' : 'Director'}], `.repeat(index === 1 ? 1_500 : 1),
      'Lista fondatorilor (cu indicarea cotei părţi în capitalul social %)': founders,
      'Lista beneficiarilor efectivi (Nume, Prenume, Ţara de reşedinţă)': `${three} (MD)`,
    };
  });
  const sheet = [Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row))];
  const content = { type: 'xlsx', sheets: [{ name: 'Company', rows: sheet }] } as const;
  const path = await writeSynthetic(folder, { name: `company-${edition}.xlsx`, packing: 'none', content });
  await importInto(service, md, [path], parties);
}

async function importBrazil(service: TestService, folder: string, parties: PartyModes, edition: 1 | 2) {
  const roots = Array.from({ length: 75 }, (_, index) => String(10_000_000 + index));
  const partners = roots.flatMap((root, index) => {
    const [one, two, child, parent] = numbers([700 + index * 4, 704 + index * 4]).map(plantedName) as string[];
    const role = edition === 1 ? '05' : '49';
    return [
      [root, '2', one, '***220050**', role, '20010228', '', '***000000**', '', '00', '5'],
      [root, '1', 'HOLDING SA', '19131243000197', '05', '20010228', '105', '***111222**', two, '05', '0'],
      [root, '2', child, '***330060**', '22', '20200228', '', '***444555**', parent, '05', '1'],
    ] as string[][];
  });
  const sub = join(folder, `br-${edition}`);
  mkdirSync(sub);
  const files: Record<string, Uint8Array> = {
    'K3241.K03200Y0.D60912.EMPRECSV': csv(...roots.map((root) => company(root))),
    'K3241.K03200Y0.D60912.ESTABELE': csv(...roots.map((root) => establishment(root, '0001'))),
    'K3241.K03200Y0.D60912.SOCIOCSV': csv(...partners),
    'F.K03200$Z.D60912.QUALSCSV': CODES.Qualificacoes,
  };
  const paths = Object.entries(files).map(([name, bytes]) => {
    writeFileSync(join(sub, name), bytes);
    return join(sub, name);
  });
  await importInto(service, br, paths, parties);
}

/** Rows of a file of parties with persons and organisations, of companies of Moldova. */
export async function insertPlantedParties(db: Db): Promise<void> {
  await db.run(
    `INSERT INTO files (id, generation, register, name, hash, imported_at, synthetic, modes)
      VALUES (900, 900, 'md', 'officers.csv', 'sha256:00', 0, 0, '{"":"names","officers":"names"}')`,
  );
  await db.run(
    "INSERT INTO party_sets (register, set_name, generation, mode, parties) VALUES ('md', 'officers', 900, 'full', 500)",
  );
  const content = (kind: string, name: string) =>
    JSON.stringify({
      ...{ roleText: 'Director', kind, name, number: null, countryCode: null, interests: [], absence: null },
    });
  const row = (id: string, company: number, kind: string, name: string) => [
    ...[id, 'md', 'officers', String(1_003_600_100_000 + company), 'director', 1, content(kind, name), 900, 1],
    ...[id, JSON.stringify({ name }), kind === 'person' ? 1 : 0],
  ];
  const persons = numbers(SPANS.parties).map((number) =>
    row(`person ${number}`, number % 100, 'person', plantedName(number)),
  );
  const firms = numbers([0, 100]).map((number) => row(`firm ${number}`, number, 'organisation', `FIRMA ${number} SRL`));
  const columns = [
    ...['id', 'register', 'set_name', 'company', 'role', 'is_current', 'content', 'file_id', 'place', 'content_hash'],
    ...['source_data', 'is_person'],
  ];
  await db.bulkLoad('parties', columns, [...persons, ...firms]);
}

/** SQLite: every byte in DATA_DIR. PostgreSQL: also every row of every table, and every file of them. */
export async function assertNoBytes({ dataDir, databaseUrl }: TestDatabase, name = MARK): Promise<void> {
  assert.deepEqual(
    findPlantedFiles(dataDir, name).filter((path) => !/export-/.test(path)),
    [],
  );
  if (databaseUrl === undefined) return;
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows: tables } = await client.query(
      "SELECT schemaname || '.' || tablename AS name FROM pg_tables WHERE schemaname IN ('registry', 'accounts')",
    );
    assert.ok(tables.length > 20);
    for (const { name: table } of tables) {
      const { rows } = await client.query(`SELECT count(*)::int AS found FROM ${table} t WHERE t::text ~* $1`, [name]);
      assert.equal(rows[0].found, 0, table);
    }
    assert.deepEqual(await findRelations(client, (file) => holds(file, name)), []);
  } finally {
    await client.end();
  }
}

/** The files below a folder that contain the name. Starts again if the server has renamed or removed one of them meanwhile. */
function findPlantedFiles(folder: string, name: string): string[] {
  try {
    const names = readdirSync(folder, { recursive: true, withFileTypes: true });
    const paths = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    return paths.filter((path) => holds(readFileSync(path), name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return findPlantedFiles(folder, name);
  }
}
