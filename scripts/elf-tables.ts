/**
 * Writes `src/registers/classifications/elf-codes.tsv` from the lists of entity legal forms (ELF) in a folder, and marks in
 * the `legal-forms.tsv` of each register how its forms found their codes.
 */
import { createReadStream, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fold } from '../src/base/fold.ts';
import { readCsv } from '../src/formats/csv.ts';
import { readRowsOfAll } from '../src/registers/data-files.ts';
import { classifyName } from './elf-classes.ts';

const TARGET = join(import.meta.dirname, '../src/registers/classifications');

const CODES_HEADER = `# Entity legal forms (ISO 20275), Global Legal Entity Identifier Foundation (GLEIF). CC0 1.0.
# Versions 1.4.1 (former names), 1.5 of 28 September 2023 and 1.6 of 19 February 2026 (active codes). Classes are ours: see docs/registers/legal-forms.md.
# code, country, "inactive" or nothing, class, name`;

interface Listed {
  readonly code: string;
  readonly country: string;
  /** The state or province whose form it is (ISO 3166-2). */
  readonly state: string;
  name: string;
  /** Also those of former versions: a code keeps its meaning when its name changes. */
  readonly names: Set<string>;
  readonly abbreviations: Set<string>;
  isActive: boolean;
}

/** Reads every `elf-*.csv` of the folder, the oldest version first. A code that the newest one lacks is inactive. */
export async function writeElf(folder: string): Promise<void> {
  const files = readdirSync(folder).filter((name) => /^elf-.*\.csv$/.test(name));
  const listed = new Map<string, Listed>();
  for (const file of files.sort((a, b) => versionOf(a).localeCompare(versionOf(b)))) {
    for (const form of listed.values()) form.isActive = false;
    const renamed = new Set<string>();
    for (const row of await readRows(join(folder, file))) addRow(listed, row, renamed);
  }
  const forms = readRowsOfAll('legal-forms.tsv').map(([register = '', form = '', label = '', elf = '', , ...rest]) => {
    return [register, form, label, elf, findBasis(register, form, label || form, elf, listed), ...rest];
  });
  const decided = new Map(
    forms.flatMap(([, , , elf = '', , formClass = '']) => (elf === '' ? [] : [[elf, formClass]])),
  );
  const codes = [...listed.values()].map(({ code, country, name, names, abbreviations, isActive }) => {
    const formClass = decided.get(code) ?? classifyName([...names, ...abbreviations]);
    return [code, country, isActive ? '' : 'inactive', formClass, name];
  });
  write(
    'elf-codes.tsv',
    CODES_HEADER,
    codes.sort((a, b) => ((a[0] ?? '') < (b[0] ?? '') ? -1 : 1)),
  );
  for (const [register, rows] of Map.groupBy(forms, ([id = '']) => id)) {
    const file = `../${register}/legal-forms.tsv`;
    const comments = readFileSync(join(TARGET, file), 'utf8').match(/^#.*$/gm) ?? [];
    write(
      file,
      comments.join('\n'),
      rows.map((row) => row.slice(1)),
    );
  }
}

function versionOf(file: string): string {
  return /(\d+(?:\.\d+)+)/.exec(file)?.[1] ?? '';
}

async function readRows(path: string): Promise<Record<string, string>[]> {
  const rows: (readonly string[])[] = [];
  const dialect = { delimiter: ',', quote: '"', encoding: 'utf-8' } as const;
  for await (const batch of readCsv(createReadStream(path), dialect)) for (const { value } of batch) rows.push(value);
  const [header = [], ...list] = rows;
  return list.map((cells) => Object.fromEntries(header.map((name, at) => [name, (cells[at] ?? '').trim()])));
}

/** `renamed` has the codes whose name of this version is known. A file with names in Latin script only renames nothing. */
function addRow(listed: Map<string, Listed>, row: Record<string, string>, renamed: Set<string>): void {
  const code = row['ELF Code'] ?? '';
  const local = shorten(row['Entity Legal Form name Local name'] ?? '').replace(QUESTION, '');
  const name = local || shorten(row['name (Latin script)'] ?? '');
  if (code === '' || name === '') return;
  const country = row['Country Code (ISO 3166-1)'] ?? '';
  const state = row['Country sub-division code (ISO 3166-2)'] ?? '';
  const more = { names: new Set<string>(), abbreviations: new Set<string>(), isActive: false };
  const form = listed.get(code) ?? { code, country, state, name, ...more };
  if (local !== '' && !renamed.has(code)) form.name = local;
  renamed.add(code);
  if (row['ELF Status ACTV/INAC'] !== 'INAC') form.isActive = true;
  form.names.add(fold(name)).add(fold(row['Entity Legal Form name Transliterated name (per ISO 01-140-10)'] || name));
  const short = [row['Abbreviations Local language'], row['Abbreviations transliterated']].join(';').split(/;| \/ /);
  for (const text of [...short, ...listShort(name)]) if (text.trim() !== '') form.abbreviations.add(bare(text));
  listed.set(code, form);
}

/** Of an editor of version 1.4.1: `Forening/lag/innretning (eller bare forening?)`. */
const QUESTION = / \([^()]*\?\)$/;

/** Two forms of Quebec are named by the list of their statutes, with up to 2,255 characters. */
function shorten(name: string): string {
  const text = name.replace(/\s+/g, ' ');
  return text.length <= 240 ? text : `${text.slice(0, text.lastIndexOf(' ', 240))} …`;
}

/** A name without punctuation: `d' accession` is `d'accession`. */
function plain(name: string): string {
  return fold(name)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

function bare(abbreviation: string): string {
  return fold(abbreviation).replace(/[^\p{L}\p{N}]/gu, '');
}

/**
 * A code is exact if it is the only active code of the country whose name or abbreviation equals a name or abbreviation of the form.
 * Case, accents and punctuation do not count, and neither do an abbreviation before the name, a remark in brackets or, in a name in
 * brackets, remarks after commas. Remarks in the list count: they narrow a form. Of several readings the longest one that the list
 * knows decides.
 */
function findExact(register: string, form: string, label: string, listed: Iterable<Listed>) {
  const place = register.toUpperCase();
  const codes = [...listed].filter(
    ({ country, state, isActive }) => isActive && (country === place || state === place),
  );
  const find = (
    basis: 'name' | 'abbreviation',
    readings: readonly string[],
    read: (code: Listed) => readonly string[],
  ) => {
    for (const reading of readings) {
      const found = codes.filter((code) => read(code).includes(reading));
      if (found.length > 0) return found.length === 1 ? { basis, code: (found[0] as Listed).code } : undefined;
    }
    return undefined;
  };
  // In the register of a state, domestic forms are those of the state.
  const names = listNames(place.includes('-') ? label.replace(/^domestic /i, '') : label);
  return (
    find('name', names, (code) => [...code.names].map(plain)) ??
    find('abbreviation', [form, ...listShort(label)].map(bare), ({ abbreviations }) => [...abbreviations])
  );
}

/** What may precede a name: `CLG - Company Limited by Guarantee`, `SAS, société par actions simplifiée`. */
const SHORT = /^\p{Lu}{2,5}(?= - |, )/u;
const REMARK = /\s*\(([^)]*)\)$/u;

/** The names that a label gives to a form, the longest one first. */
function listNames(label: string): string[] {
  const name = label.replace(SHORT, '').replace(/^(?: - |, )/, '');
  const inBrackets = (REMARK.exec(name)?.[1] ?? '').split(',').map((_, at, parts) => parts.slice(0, at + 1).join(','));
  const all = [label, name, name.replace(REMARK, ''), ...inBrackets];
  return [...new Set(all.map(plain))].filter((text) => text !== '').sort((a, b) => b.length - a.length);
}

/** The abbreviations in a label, before the name or in brackets after it. */
function listShort(label: string): string[] {
  return [SHORT.exec(label)?.[0], REMARK.exec(label)?.[1]].flatMap((text) =>
    text !== undefined && /^[\p{Lu}\s.]+$/u.test(text) ? text : [],
  );
}

/** How the code of a form was found. Prints what the rule finds for a form without a code, to be decided by hand. */
function findBasis(
  register: string,
  form: string,
  label: string,
  elf: string,
  listed: ReadonlyMap<string, Listed>,
): string {
  const exact = findExact(register, form, label, listed.values());
  if (exact !== undefined && exact.code !== elf) {
    console.log(`${register} ${form} (${label}): ${elf || 'no code'} in the table, ${exact.code} by ${exact.basis}`);
  }
  if (elf === '') return 'none';
  if (listed.get(elf)?.isActive !== true) throw new Error(`${register} ${form}: ${elf} is not an active code`);
  return exact?.code === elf ? exact.basis : 'meaning';
}

function write(name: string, header: string, rows: readonly (readonly string[])[]): void {
  writeFileSync(join(TARGET, name), `${header}\n${rows.map((row) => row.join('\t')).join('\n')}\n`);
}
