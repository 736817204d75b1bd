/**
 * A full extract with all nine tables. Each table draws the same list of entities from the seed again, so the tables
 * match without being held in memory.
 */

import { listColumns } from '../../src/registers/contract.ts';
import {
  type Chance,
  createChance,
  createCsvFiles,
  createSerials,
  pickByShare,
  type Shares,
  writeDayFirst,
} from '../chance.ts';
import { makeArchive, type SyntheticFile } from '../file.ts';
import { CODES, CONTACTS, FORMS, NACE, PLACES, STREETS, TRADES, WORDS } from './be-words.ts';

const CSV = { delimiter: ',', quote: '"', encoding: 'utf-8' } as const;

export function generateExtract(rows: number, seed: number): SyntheticFile {
  const createFile = createCsvFiles({ dialect: CSV, quoting: 'text', lineEnd: '\r\n' });
  const file = (table: string, generate: () => Iterator<readonly string[]>) =>
    createFile(`${table}.csv`, listColumns('be', table), generate);
  const each = (table: string, salt: number, make: (chance: Chance, entity: Entity) => readonly string[][]) =>
    file(table, () => generateRows(rows, seed, salt, make));
  return makeArchive('KboOpenData_0152_2026_06_Full.zip', [
    file('meta', () => META.values()),
    file('code', () => CODES.values()),
    each('enterprise', 1, (chance, entity) => (entity.owner === '' ? [writeEnterprise(chance, entity)] : [])),
    each('establishment', 2, (chance, entity) => writePart(chance, entity, '2')),
    each('branch', 3, (chance, entity) => writePart(chance, entity, '9')),
    each('denomination', 4, writeNames),
    each('address', 5, writeAddress),
    each('contact', 6, writeContacts),
    each('activity', 7, writeActivities),
  ]);
}

const META = [
  ['SnapshotDate', '30-05-2026'],
  ['ExtractTimestamp', '01-06-2026 07:07:49'],
  ['ExtractType', 'full'],
  ['ExtractNumber', '152'],
  ['Version', '1.0.0'],
];

interface Entity {
  readonly number: string;
  /** The enterprise that an establishment or branch belongs to; empty for an enterprise. */
  readonly owner: string;
}

/** Enterprises, each followed by its establishments and branches. */
function* listEntities(rows: number, seed: number): Generator<Entity> {
  const chance = createChance(seed);
  const [takeSerial, takePart] = [createSerials(chance, 7), createSerials(chance, 9)];
  for (let row = 0; row < rows; row++) {
    const number = writeNumber(chance.is(0.1) ? '1' : '0', takeSerial(), chance.is(0.001));
    yield { number, owner: '' };
    for (let more = pickByShare(chance, ESTABLISHMENTS); more > 0; more--) {
      yield { number: insertDots(`2${takePart()}`, [1, 4, 7]), owner: number };
    }
    if (chance.is(0.005)) yield { number: insertDots(`9${takePart()}`, [1, 4, 7]), owner: number };
  }
}

const ESTABLISHMENTS: Shares<number> = [
  [0.4, 0],
  [0.85, 1],
  [0.97, 2],
  [1, 5],
];

function writeNumber(first: string, serial: string, isWrong: boolean): string {
  const check = 97 - (Number(first + serial) % 97);
  return insertDots(`${first}${serial}${String(isWrong ? check - 1 : check).padStart(2, '0')}`, [4, 7]);
}

function insertDots(digits: string, positions: readonly number[]): string {
  return [0, ...positions].map((start, index) => digits.slice(start, positions[index])).join('.');
}

/** The salt gives each table its own random values, whatever the other tables draw. */
function* generateRows(
  rows: number,
  seed: number,
  salt: number,
  make: (chance: Chance, entity: Entity) => readonly (readonly string[])[],
): Generator<readonly string[]> {
  const chance = createChance(seed * 31 + salt);
  for (const entity of listEntities(rows, seed)) yield* make(chance, entity);
}

const SITUATIONS: Shares<string> = [
  [0.95, '000'],
  [0.98, '012'],
  [1, '050'],
];

function writeDay(chance: Chance): string {
  return writeDayFirst(chance.date(1960, 2025), '-');
}

function writeEnterprise(chance: Chance, { number }: Entity): string[] {
  const isPerson = chance.is(0.4);
  const form = isPerson ? '' : pickByShare(chance, FORMS);
  return [number, 'AC', pickByShare(chance, SITUATIONS), isPerson ? '1' : '2', form, '', writeDay(chance)];
}

function writePart(chance: Chance, { number, owner }: Entity, kind: string): string[][] {
  return owner !== '' && number.startsWith(kind) ? [[number, writeDay(chance), owner]] : [];
}

function writeNames(chance: Chance, { number, owner }: Entity): string[][] {
  const name = `${chance.pick(WORDS)} ${chance.pick(TRADES)} ${chance.between(1, 999)}`;
  if (owner !== '') return chance.is(0.6) ? [[number, '2', number.startsWith('9') ? '004' : '003', name]] : [];
  // A few enterprises have no name.
  if (number.endsWith('.077')) return [];
  const rows = [[number, chance.pick(['1', '2', '2', '0']), '001', chance.is(0.02) ? `"${name}"` : name]];
  if (chance.is(0.1)) rows.push([number, '1', '001', `Société ${name}`]);
  if (chance.is(0.2)) rows.unshift([number, '2', '002', name.slice(0, 4).toUpperCase()]);
  return rows;
}

function writeAddress(chance: Chance, { number, owner }: Entity): string[][] {
  const [zip = '', dutch = '', french = ''] = chance.pick(PLACES);
  const [street = '', rue = ''] = chance.pick(STREETS);
  const isForeign = chance.is(0.01);
  const type = owner === '' ? 'REGO' : number.startsWith('9') ? 'ABBR' : 'BAET';
  const country = isForeign ? ['Nederland', 'Pays-Bas'] : ['', ''];
  const struckOff = chance.is(0.01) ? writeDay(chance) : '';
  const house = [String(chance.between(1, 300)), chance.is(0.2) ? String(chance.between(1, 40)) : '', ''];
  const address = [number, type, ...country, zip, dutch, french, street, rue, ...house, struckOff];
  if (owner !== '' || !chance.is(0.1)) return [address];
  const oldest = [number, 'OBAD', '', '', '9000', 'Gent', 'Gent', 'Stropstraat', 'Stropstraat', '1', '', ''];
  return [address, [...oldest, chance.is(0.3) ? writeDay(chance) : '']];
}

function writeContacts(chance: Chance, { number, owner }: Entity): string[][] {
  if (!chance.is(0.2)) return [];
  const kind = owner === '' ? 'ENT' : number.startsWith('9') ? 'BRA' : 'EST';
  return CONTACTS.filter(() => chance.is(0.5)).map(([type = '', value = '']) => [number, kind, type, value]);
}

function writeActivities(chance: Chance, { number, owner }: Entity): string[][] {
  const main = chance.between(0, NACE.length - 1);
  const codes = Array.from(
    { length: chance.between(1, 2) },
    (_, index) => NACE[(main + index) % NACE.length]?.[0] ?? '',
  );
  const group = owner === '' && chance.is(0.2) ? '006' : '001';
  return ['2008', '2025'].flatMap((version) =>
    codes.map((code, index) => [number, group, version, code, index === 0 ? 'MAIN' : 'SECO']),
  );
}
