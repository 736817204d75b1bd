/**
 * Finds out which common fields each register fills. It imports the generated files of every register and reads the
 * records, so the result always matches the adapters.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../src/base/clock.ts';
import { loadMigrations, migrate } from '../src/base/db/migrate.ts';
import { openStore } from '../src/base/db/open.ts';
import { importFiles } from '../src/import/import.ts';
import { classifyRegistry } from '../src/registers/classifications/activities.ts';
import { addElf, type StoredForm } from '../src/registers/classifications/elf.ts';
import { registers } from '../src/registers/index.ts';
import { RegistryFields } from '../src/registers/vocabulary.ts';
import { listGenerators } from '../synthetic/generators.ts';
import { writeSynthetic } from '../synthetic/writers/write.ts';

/** Enough for a generator to produce its rare cases at least once. */
const ROWS = 600;
const SEED = 1;

/**
 * What official files have and generated ones lack: fields of older layouts and of further files, and rare ones. The
 * tests with official files say what is missing here, as far as these files have it.
 */
const ONLY_OFFICIAL: Readonly<Record<string, string>> = {
  br: 'contacts.faxes parties[].country parties[].countryCode',
  ee: 'endedAt',
  fi: 'address.careOf',
  fr:
    'addresses addresses[] addresses[].type addresses[].type=other addresses[].text addresses[].building ' +
    'addresses[].number addresses[].street addresses[].postCode addresses[].city addresses[].country ' +
    'addresses[].countryCode endedAt ' +
    'previousNames previousNames[] previousNames[].name previousNames[].from previousNames[].until ' +
    'otherNames otherNames[] otherNames[].name otherNames[].type otherNames[].type=short otherNames[].type=trading',
  gb: 'endedAt',
  gleif:
    'address.careOf addresses[].careOf addresses[].type=other otherNames otherNames[] otherNames[].name ' +
    'otherNames[].type otherNames[].type=translation otherNames[].language',
  lt: 'endedAt',
  md: 'status status.label',
  no: 'address.region addresses[].region contacts.emails endedAt',
  sg: 'address.building capital capital.amount capital.currency',
  ua:
    'activities activities[] activities[].type activities[].type=unlicensed activities[].code activities[].label ' +
    'activities[].scheme activities[].main activities[].isicNote address address.text address.street address.number address.unit ' +
    'address.district address.postCode address.city address.region address.countryCode contacts contacts.emails ' +
    'contacts.phones contacts.websites parties[].from purpose',
};

/** The parts of a JSON schema that the vocabulary uses. */
export interface FieldSchema {
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly const?: unknown;
  readonly items?: FieldSchema;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
}

/**
 * The ids of the registers that fill a field (`address.city`, `parties[].name`) or use a value
 * (`parties[].role=director`), in the order of the list of registers. `status=active` is the normalized status.
 */
export type FieldUsage = ReadonlyMap<string, readonly string[]>;

export async function collectUsage(): Promise<FieldUsage> {
  const usage = new Map<string, string[]>();
  const folder = mkdtempSync(join(tmpdir(), 'firmament-fields-'));
  const db = openStore('registry', { databaseUrl: undefined, dataDir: folder });
  try {
    await migrate(db, loadMigrations('registry'), systemClock);
    for (const register of registers) {
      const found = new Set(ONLY_OFFICIAL[register.id]?.split(' '));
      for (const generate of listGenerators(register)) {
        const path = await writeSynthetic(folder, generate(ROWS, SEED));
        await importFiles(db, systemClock, { register, registers, paths: [path], mode: 'full' });
        rmSync(path);
        const stored = await db.all<StoredFields & StoredForm>(
          'SELECT status, registry, registrations, register, legal_form AS "legalForm", legal_form_code AS "legalFormCode" FROM entities WHERE register = $1',
          [register.id],
        );
        const shown = stored.map((one) => ({ ...one, registry: addElf(classifyRegistry(one.registry).text, one, []) }));
        for (const field of listFound(shown)) found.add(field);
      }
      // Any company with an LEI may have it; those of generated files have none.
      if (register.country !== null && found.has('legalForm')) found.add('legalForm.leiElf');
      for (const field of found) usage.set(field, [...(usage.get(field) ?? []), register.id]);
    }
    return usage;
  } finally {
    await db.close();
    rmSync(folder, { recursive: true });
  }
}

export interface StoredFields {
  readonly status: string;
  readonly registry: string;
  readonly registrations: string;
}

/** The fields that at least one of the records fills, and the values they use. */
export function listFound(stored: readonly StoredFields[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { status, registry, registrations } of stored) {
    found.add(`status=${status}`);
    addFields(RegistryFields, JSON.parse(registry), '', found);
    for (const { type } of JSON.parse(registrations)) found.add(`registrations[].type=${type}`);
  }
  return found;
}

function addFields(schema: FieldSchema, value: unknown, path: string, found: Set<string>): void {
  found.add(path);
  if (schema.enum !== undefined) found.add(`${path}=${value}`);
  if (schema.items !== undefined && Array.isArray(value)) {
    for (const item of value) addFields(schema.items, item, `${path}[]`, found);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) {
      const field = schema.properties?.[name];
      if (field !== undefined) addFields(field, inner, path === '' ? name : `${path}.${name}`, found);
    }
  }
}
