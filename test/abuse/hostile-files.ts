import { gzipSync } from 'node:zlib';
import { zip } from '../formats/feed.ts';
import { GB_HEADER } from '../registry/gb-file.ts';
import { join, type Pieces, pack, packSheet, repeat } from './packed-files.ts';

/** Files that try to fill the memory, to keep the import busy or to crash it. test/registry/hostile-files.test.ts has smaller ones. */
export interface HostileFile {
  readonly name: string;
  readonly register: string;
  files(): Promise<Readonly<Record<string, string | Buffer>>>;
  /** The error that the import must print. Without it, the import must succeed. */
  readonly refused?: RegExp;
}

const MB = 1_048_576;
const GB_COLUMNS = GB_HEADER.split(',').length;

/** A row with the columns of the register, followed by `more`. */
function gb(number: number, name: string, ...more: readonly string[]): string {
  const cells = [name, `0${7_000_000 + number}`, ...Array.from({ length: GB_COLUMNS - 2 }, () => ''), ...more];
  cells[10] = 'Private Limited Company';
  cells[11] = 'Active';
  return `${cells.map((cell) => `"${cell}"`).join(',')}\n`;
}

const many = (count: number, make: (index: number) => string): string[] =>
  Array.from({ length: count }, (_, index) => make(index));

const norwegian = (number: number, more: string) =>
  `{"organisasjonsnummer":"${910_000_000 + number}","navn":"SELSKAP ${number} AS","organisasjonsform":` +
  `{"kode":"AS","beskrivelse":"Aksjeselskap"},"konkurs":false,"underAvvikling":false,` +
  `"underTvangsavviklingEllerTvangsopplosning":false,"mer":${more}}`;
const norwegianFile = (more: string) =>
  `[${many(600, (index) => norwegian(index, index === 0 ? more : '0')).join(',')}]`;

const lei = (number: number, more: string, prefix = 'lei') => {
  const tag = (name: string, text: string) => `<${prefix}:${name}>${text}</${prefix}:${name}>`;
  const id = String(number).padStart(18, '0');
  const address = tag('FirstAddressLine', 'A') + tag('City', 'B') + tag('Country', 'GB');
  const entity =
    tag('LegalName', `COMPANY ${number}`) + tag('LegalAddress', address) + tag('HeadquartersAddress', address);
  const status = tag('EntityStatus', 'ACTIVE') + tag('LegalJurisdiction', 'GB');
  const dates = tag('InitialRegistrationDate', '2020-01-01T00:00:00Z') + tag('RegistrationStatus', 'ISSUED');
  return tag('LEIRecord', tag('LEI', `${id}98`) + tag('Entity', entity + status) + tag('Registration', dates) + more);
};
const leiFile = (...records: readonly string[]) =>
  `<?xml version="1.0"?><lei:LEIData xmlns:lei="x"><lei:LEIRecords>${records.join('')}</lei:LEIRecords></lei:LEIData>`;

const RSUD = [
  'IDNO/ Cod fiscal',
  'Data înregistrării',
  'Denumirea completă',
  'Forma org./jurid.',
  'Genuri de activitate nelicentiate',
  'Genuri de activitate licentiate',
];
const RSUD_HEADER = `<row r="1">${RSUD.map((text) => `<c t="str"><v>${text}</v></c>`).join('')}</row>`;
const workbook = async (rows: Pieces, strings?: Pieces) => ({
  'a.xlsx': await packSheet(join(RSUD_HEADER, rows), strings),
});

export const hostileFiles: readonly HostileFile[] = [
  {
    name: 'CSV: one quoted field of 32 MB with line ends',
    register: 'gb',
    files: async () => ({ 'a.csv': `${GB_HEADER}\n"${'x\n'.repeat(16 * MB)}` }),
    refused: /a\.csv: line 2: a quote opened here is not closed within 1,048,576 characters/,
  },
  {
    name: 'CSV: 100 rows of a million quotes',
    register: 'gb',
    files: async () => ({ 'a.csv': csv(GB_HEADER, 100, () => `"${'""'.repeat(MB / 2 - 100)}"\n`) }),
    refused: /100 of 100 rows are invalid/,
  },
  {
    name: 'CSV: 100 rows of 1 MB in a new column',
    register: 'gb',
    files: async () => ({
      'a.csv': csv(`${GB_HEADER},new`, 100, (index) => gb(index, 'A', 'é'.repeat(MB - 2_000))),
    }),
  },
  {
    name: 'CSV: 5 rows with names of 1 MB',
    register: 'gb',
    files: async () => ({
      'a.csv': csv(GB_HEADER, 105, (index) => gb(index, index < 5 ? `N${index} ${'ab '.repeat(MB / 3 - 2_000)}` : 'A')),
    }),
  },
  {
    name: 'gzip: 250,000 empty members before the data',
    register: 'gb',
    files: async () => {
      const data = gzipSync(csv(GB_HEADER, 9, (index) => gb(index, 'A')));
      return { 'a.csv.gz': Buffer.concat([...Array.from({ length: 250_000 }, () => gzipSync('')), data]) };
    },
  },
  {
    name: 'zip: 1 MB that unpacks to 1 GB',
    register: 'gb',
    files: async () => ({
      'a.zip': await pack({ 'b.csv': join(`${GB_HEADER}\n`, repeat('\n', 1_024 * MB)) }),
    }),
    refused: /b\.csv in a\.zip unpacks to more than [\d,]+ bytes/,
  },
  {
    name: 'zip: 1,000 entries of 40 bytes that no register knows',
    register: 'gb',
    files: async () => ({
      'a.zip': await zip(
        Object.fromEntries(many(1_000, (index) => `${index}.csv`).map((name) => [name, 'a,b\n1,2\n'])),
      ),
    }),
    refused: /a\.zip is not a file of the register/,
  },
  {
    name: 'JSON: a record that is a million levels deep',
    register: 'no',
    files: async () => ({ 'a.json': norwegianFile('['.repeat(MB) + ']'.repeat(MB)) }),
    refused: /a\.json: record 1: nested more than 64 levels deep/,
  },
  {
    name: 'JSON: a file that is a million levels deep',
    register: 'no',
    files: async () => ({ 'a.json': '['.repeat(MB) + ']'.repeat(MB) }),
    refused: /a\.json: record 1: nested more than 64 levels deep/,
  },
  {
    name: 'JSON: a string of 32 MB',
    register: 'no',
    files: async () => ({ 'a.json': norwegianFile(`"${'\\"'.repeat(16 * MB)}"`) }),
    refused: /a\.json: record 1: it has more than 4,194,304 characters/,
  },
  {
    name: 'JSON: a record of a million empty objects, ten times',
    register: 'no',
    files: async () => {
      const more = `[${'{},'.repeat(MB)}0]`;
      return { 'a.json': `[${many(10, (index) => norwegian(index, more)).join(',')}]` };
    },
    refused: /a\.json: record 1: it has more than 250,000 objects and arrays/,
  },
  {
    name: 'JSON: a number of 3 million digits',
    register: 'no',
    files: async () => ({ 'a.json': norwegianFile('7'.repeat(3 * MB)) }),
  },
  {
    name: 'XML: a record that is 500,000 levels deep',
    register: 'gleif',
    files: async () => ({
      'a.xml': leiFile(
        lei(1, '<a>'.repeat(500_000) + '</a>'.repeat(500_000)),
        ...many(600, (index) => lei(index + 2, '')),
      ),
    }),
    refused: /a\.xml: record 1: .*nested more than 64 levels deep/,
  },
  {
    name: 'XML: a million elements around the records',
    register: 'gleif',
    files: async () => ({ 'a.xml': '<a>'.repeat(MB) }),
    refused: /a\.xml: record 1: .*more than 64 elements around the records/,
  },
  {
    name: 'XML: a comment of 32 MB',
    register: 'gleif',
    files: async () => ({
      'a.xml': leiFile(lei(1, '')).replace('<lei:LEIRecords>', `$&<!--${'x'.repeat(32 * MB)}-->`),
    }),
    refused: /a\.xml: record 1: .*more than 4,194,304 characters/,
  },
  {
    name: 'XML: 200,000 comments before an end tag of 2 MB',
    register: 'gleif',
    files: async () => ({
      'a.xml': leiFile(lei(1, '<!---->'.repeat(200_000)).replace(/>$/, `${' '.repeat(2 * MB)}>`)),
    }),
  },
  {
    name: 'XML: 50,000 records, each with its own prefix',
    register: 'gleif',
    files: async () => ({
      'a.xml': leiFile(lei(0, ''), ...many(50_000, (index) => `<p${index}:LEIRecord></p${index}:LEIRecord>`)),
    }),
    refused: /rows are invalid/,
  },
  {
    name: 'XML: entities that expand to 3 GB',
    register: 'gleif',
    files: async () => ({
      'a.xml': leiFile(lei(1, '&c;')).replace(
        '?>',
        `?><!DOCTYPE a [<!ENTITY a "${'a'.repeat(1_000)}"><!ENTITY b "${'&a;'.repeat(1_000)}"><!ENTITY c "${'&b;'.repeat(3_000)}">]>`,
      ),
    }),
    refused: /a\.xml: record 1: .*document type/,
  },
  {
    name: 'XLSX: a million rows with one cell in the last column',
    register: 'md',
    files: () => workbook(numbered(1_000_000, (row) => `<row r="${row}"><c r="XFD${row}"><v>1</v></c></row>`)),
    refused: /more than 1,024 columns, but the header has 6/,
  },
  {
    name: 'XLSX: a long shared string in six million cells',
    register: 'md',
    files: () =>
      workbook(
        numbered(1_000_000, (row) => `<row r="${row}">${'<c t="s"><v>0</v></c>'.repeat(6)}</row>`),
        [`<si><t>${'x'.repeat(100_000)}</t></si>`],
      ),
    refused: /a\.xlsx: sheet RSUD, row \d+: the rows so far have more than [\d,]+ characters/,
  },
  {
    name: 'XLSX: shared strings of 1 GB',
    register: 'md',
    files: () => workbook([], repeat(`<si><t>${'x'.repeat(1_000)}</t></si>`, MB)),
    refused: /unpacks to more than|shared strings take more than/,
  },
  {
    name: 'XLSX: a cell of 100 pieces of 1 MB',
    register: 'md',
    files: () => {
      const pieces = repeat(`<![CDATA[${'x'.repeat(1_000_000)}]]>`, 100);
      return workbook(join('<row r="2"><c t="str"><v>', pieces, '</v></c></row>'));
    },
    refused: /a\.xlsx: sheet RSUD, row 2: a cell has more than 1,048,576 characters/,
  },
];

function csv(header: string, count: number, write: (index: number) => string): string {
  return `${header}\n${many(count, write).join('')}`;
}

/** Writes the rows from the second on: the first is the header. */
function* numbered(count: number, write: (row: number) => string): Iterable<string> {
  for (let row = 2; row < count + 2; row += 500) {
    let block = '';
    for (let at = row; at < Math.min(row + 500, count + 2); at++) block += write(at);
    yield block;
  }
}
