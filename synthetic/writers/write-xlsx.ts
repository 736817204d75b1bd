import { closeSync, createReadStream, openSync, rmSync, writeSync } from 'node:fs';
import { Readable } from 'node:stream';
import { SYNTHETIC_DESCRIPTION } from '../../src/formats/synthetic-mark.ts';
import type { SyntheticSheet, SyntheticWorkbook } from '../file.ts';

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const PROPERTIES = 'docProps/core.xml';
const CHUNK = 65_536;

/**
 * Adds the parts of a workbook, the minimum that Excel, Calc and our reader need. The order allows streaming: the
 * shared strings are collected in a file while the sheets are written, and added last.
 */
export function addWorkbook(
  workbook: SyntheticWorkbook,
  texts: TextTable,
  add: (name: string, open: () => Readable) => void,
): void {
  const { sheets } = workbook;
  const fixed: Record<string, string> = {
    '[Content_Types].xml': writeContentTypes(sheets.length),
    '_rels/.rels': writeRelations([
      [`${OFFICE}/officeDocument`, 'xl/workbook.xml'],
      [`${PACKAGE}/relationships/metadata/core-properties`, PROPERTIES],
    ]),
    [PROPERTIES]: writeProperties(),
    'xl/workbook.xml': writeWorkbook(sheets),
    'xl/_rels/workbook.xml.rels': writeRelations([
      ...sheets.map((_, index): [string, string] => [`${OFFICE}/worksheet`, `worksheets/sheet${index + 1}.xml`]),
      [`${OFFICE}/sharedStrings`, 'sharedStrings.xml'],
    ]),
  };
  for (const [name, xml] of Object.entries(fixed)) add(name, () => Readable.from([Buffer.from(HEAD + xml)]));
  for (const [index, sheet] of sheets.entries()) {
    add(`xl/worksheets/sheet${index + 1}.xml`, () => Readable.from(writeSheet(sheet, texts)));
  }
  add('xl/sharedStrings.xml', () => texts.read());
}

function writeContentTypes(sheets: number): string {
  const parts = Array.from({ length: sheets }, (_, index) => [`worksheets/sheet${index + 1}`, 'worksheet']);
  const overrides = [['workbook', 'sheet.main'], ['sharedStrings', 'sharedStrings'], ...parts].map(
    ([part, type]) => `<Override PartName="/xl/${part}.xml" ContentType="${TYPES}.${type}+xml"/>`,
  );
  return `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${overrides.join('')}<Override PartName="/${PROPERTIES}" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/></Types>`;
}

function writeRelations(targets: readonly (readonly [string, string])[]): string {
  const relations = targets.map(
    ([type, target], index) => `<Relationship Id="rId${index + 1}" Type="${type}" Target="${target}"/>`,
  );
  return `<Relationships xmlns="${PACKAGE}/relationships">${relations.join('')}</Relationships>`;
}

function writeProperties(): string {
  return `<cp:coreProperties xmlns:cp="${PACKAGE}/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:description>${SYNTHETIC_DESCRIPTION}</dc:description></cp:coreProperties>`;
}

function writeWorkbook(sheets: readonly SyntheticSheet[]): string {
  const names = sheets.map(
    ({ name }, index) => `<sheet name="${escapeXml(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`,
  );
  return `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${names.join('')}</sheets></workbook>`;
}

function* writeSheet(sheet: SyntheticSheet, texts: TextTable): Generator<Buffer> {
  let xml = `${HEAD}<worksheet xmlns="${MAIN}"><sheetData>`;
  let row = 0;
  for (const cells of sheet.rows) {
    row += 1;
    xml += `<row r="${row}">`;
    for (const [index, cell] of cells.entries()) {
      if (cell === null || cell === '') continue;
      const reference = nameColumn(index) + row;
      xml +=
        typeof cell === 'number'
          ? `<c r="${reference}"><v>${cell}</v></c>`
          : `<c r="${reference}" t="s"><v>${texts.add(cell)}</v></c>`;
    }
    xml += '</row>';
    if (xml.length < CHUNK) continue;
    yield Buffer.from(xml);
    xml = '';
  }
  yield Buffer.from(`${xml}</sheetData></worksheet>`);
}

/** 0 → A, 27 → AB. */
function nameColumn(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26));
  return index < 26 ? letter : nameColumn(Math.floor(index / 26) - 1) + letter;
}

/** Bounds memory. A string that comes again after the map was cleared is written twice, which the format allows. */
const MAX_REMEMBERED = 50_000;

/** The shared strings, numbered in order of appearance and kept in a file until the sheets are written. */
export class TextTable {
  readonly #path: string;
  readonly #file: number;
  readonly #numbers = new Map<string, number>();
  #count = 0;
  #pending = `${HEAD}<sst xmlns="${MAIN}">`;

  constructor(path: string) {
    this.#path = path;
    this.#file = openSync(path, 'w');
  }

  add(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    if (this.#numbers.size >= MAX_REMEMBERED) this.#numbers.clear();
    const number = this.#count;
    this.#numbers.set(text, number);
    this.#count += 1;
    this.#pending += `<si><t xml:space="preserve">${escapeXml(text)}</t></si>`;
    if (this.#pending.length >= CHUNK) this.#flush();
    return number;
  }

  read(): Readable {
    this.#pending += '</sst>';
    this.#flush();
    return createReadStream(this.#path);
  }

  remove(): void {
    closeSync(this.#file);
    rmSync(this.#path, { force: true });
  }

  #flush(): void {
    writeSync(this.#file, this.#pending);
    this.#pending = '';
  }
}

/**
 * Characters XML cannot hold (control characters, lone surrogates), and text that looks like their escape: `_x000D_`.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters on purpose
const UNWRITABLE = /_(?=x[0-9A-Fa-f]{4}_)|[\x00-\x08\x0b-\x1f\ufffe\uffff]|\p{Surrogate}/gu;
const MARKUP: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escapeXml(text: string): string {
  return text
    .replace(UNWRITABLE, (character) => `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`)
    .replace(/[&<>"]/g, (character) => MARKUP[character] as string);
}
