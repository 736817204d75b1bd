import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { collectBytes } from '../formats/feed.ts';

/** A text that is written piece by piece: what it unpacks to may be larger than memory. */
export type Pieces = Iterable<string>;

export function* repeat(piece: string, times: number): Pieces {
  const block = piece.repeat(Math.max(1, Math.floor(65_536 / piece.length)));
  const perBlock = block.length / piece.length;
  for (let left = times; left > 0; left -= perBlock) yield left >= perBlock ? block : piece.repeat(left);
}

export function* join(...parts: readonly (string | Pieces)[]): Pieces {
  for (const part of parts) {
    if (typeof part === 'string') yield part;
    else yield* part;
  }
}

export async function pack(entries: Readonly<Record<string, string | Pieces>>): Promise<Buffer> {
  const file = new ZipFile();
  for (const [name, content] of Object.entries(entries)) {
    const pieces = typeof content === 'string' ? [content] : content;
    file.addReadStream(Readable.from(join(...pieces)), name);
  }
  file.end();
  return collectBytes(file.outputStream as unknown as AsyncIterable<Uint8Array>);
}

/** A workbook with one sheet. `strings` are its shared strings. */
export function packSheet(rows: Pieces, strings: Pieces = []): Promise<Buffer> {
  return pack({
    '[Content_Types].xml': '<Types/>',
    'xl/workbook.xml': '<workbook><sheets><sheet name="RSUD" sheetId="1" r:id="r1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="r1" Type="x/worksheet" Target="sheet.xml"/>' +
      '<Relationship Id="r2" Type="x/sharedStrings" Target="strings.xml"/></Relationships>',
    'xl/sheet.xml': join('<worksheet><sheetData>', rows, '</sheetData></worksheet>'),
    'xl/strings.xml': join('<sst>', strings, '</sst>'),
  });
}

/** A zip archive whose directory lists `entries` times the same bytes, each time under another name. */
export async function packOverlapping(content: Pieces, entries: number): Promise<Buffer> {
  const one = await pack({ 'a00000.csv': content });
  const directory = one.lastIndexOf(Buffer.from('PK\x01\x02', 'latin1'));
  const end = one.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  const record = one.subarray(directory, end);
  const listed = Array.from({ length: entries }, (_, index) => {
    const copy = Buffer.from(record);
    copy.write(`a${String(index).padStart(5, '0')}.csv`, 46, 'latin1');
    return copy;
  });
  const tail = Buffer.from(one.subarray(end));
  tail.writeUInt16LE(Math.min(entries, 0xffff), 8);
  tail.writeUInt16LE(Math.min(entries, 0xffff), 10);
  tail.writeUInt32LE(record.length * entries, 12);
  return Buffer.concat([one.subarray(0, directory), ...listed, tail]);
}
