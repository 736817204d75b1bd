/**
 * `node scripts/classifications.ts <part> <folder>`: writes the tables of src/classifications from the official files in a
 * folder. Run it again with the files of a new edition; the header of each table names its origin.
 *
 * The part `isic` reads `isic-rev4.csv` (code, title), `nace-rev2-isic4.csv` (code, level, parent, title, ISIC code),
 * `nace-rev2.1.csv` (code, level, parent, title) and `nace-rev2-to-rev2.1.csv` (the codes of both).
 *
 * The part `elf` reads every `elf-*.csv`, the lists of entity legal forms with their version in the name (see elf-tables.ts).
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { shareIsic } from '../src/registers/classifications/isic-code.ts';
import { writeElf } from './elf-tables.ts';

export const TARGET = join(import.meta.dirname, '../src/registers/classifications');

const UN = '# ISIC Rev. 4, United Nations Statistics Division, 2008. Free use with the source named.';
const EUROSTAT =
  'Eurostat. Reuse with the source named (Commission Decision 2011/833/EU). ISIC codes are as deep as all classes agree.';
const HEADERS = {
  'isic-4.tsv': `${UN}\n# code, title`,
  'nace-2.tsv': `# NACE Rev. 2 with ISIC Rev. 4, table of 21 October 2020, ${EUROSTAT}\n# code, ISIC code, title`,
  'nace-2.1.tsv': `# NACE Rev. 2.1 (Regulation (EU) 2023/137) with ISIC Rev. 4 through NACE Rev. 2, ${EUROSTAT}\n# code, ISIC code or nothing, title`,
};

/** The rows of a CSV file with quoted cells, without its header. */
export function readCsv(file: string): string[][] {
  const lines = readFileSync(file, 'utf8').trimEnd().split(/\r?\n/).slice(1);
  return lines.map((line) =>
    [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) =>
      (quoted?.replaceAll('""', '"') ?? plain ?? '').trim(),
    ),
  );
}

export function writeTable(name: string, header: string, rows: readonly (readonly string[])[]): void {
  writeFileSync(join(TARGET, name), `${header}\n${rows.map((row) => row.join('\t')).join('\n')}\n`);
}

function writeIsic(folder: string): void {
  const isic = readCsv(join(folder, 'isic-rev4.csv')).map(([code = '', title = '']) => [code, title]);
  const sections = new Map<string, string>();
  let section = '';
  for (const [code = ''] of isic) {
    if (/^[A-Z]$/.test(code)) section = code;
    sections.set(code, section);
  }
  const sectionOf = (code: string) => sections.get(code) ?? '';

  const nace2 = readCsv(join(folder, 'nace-rev2-isic4.csv'));
  const ofClass = new Map(nace2.flatMap(([code = '', level, , , to = '']) => (level === '4' ? [[code, [to]]] : [])));
  const nace21 = readCsv(join(folder, 'nace-rev2.1.csv'));
  const ofNewClass = new Map<string, string[]>();
  for (const [from = '', level, to = ''] of readCsv(join(folder, 'nace-rev2-to-rev2.1.csv'))) {
    if (level === '4') ofNewClass.set(to, [...(ofNewClass.get(to) ?? []), ...(ofClass.get(from) ?? [])]);
  }

  /** A code and the deepest ISIC code that all its classes share, at most of its own level. A class without an ISIC code makes its parents unknown. */
  const describe = (rows: readonly string[][], classes: ReadonlyMap<string, readonly string[]>) => {
    const parents = new Map(rows.map(([code = '', , parent = '']) => [code, parent]));
    const isAbove = (above: string, code: string): boolean =>
      above === code || ((parents.get(code) ?? '') !== '' && isAbove(above, parents.get(code) as string));
    const leaves = rows.filter(([, level]) => level === '4').map(([code = '']) => code);
    return rows.map(([code = '', level, , title = '']) => {
      const found = leaves.filter((leaf) => isAbove(code, leaf)).flatMap((leaf) => classes.get(leaf) ?? ['']);
      const shared = shareIsic(found, sectionOf);
      return [code, level === '1' ? sectionOf(shared) : shared.slice(0, Number(level)), title];
    });
  };
  writeTable('isic-4.tsv', HEADERS['isic-4.tsv'], isic);
  writeTable('nace-2.tsv', HEADERS['nace-2.tsv'], describe(nace2, ofClass));
  writeTable('nace-2.1.tsv', HEADERS['nace-2.1.tsv'], describe(nace21, ofNewClass));
}

const PARTS: Readonly<Record<string, (folder: string) => void | Promise<void>>> = { isic: writeIsic, elf: writeElf };

const { positionals } = parseArgs({ allowPositionals: true });
const [part = '', folder] = positionals;
const write = PARTS[part];
if (write === undefined || folder === undefined) {
  throw new Error(`usage: node scripts/classifications.ts <${Object.keys(PARTS).join(' | ')}> <folder>`);
}
await write(folder);
