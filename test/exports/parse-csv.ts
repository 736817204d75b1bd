/** Parses CSV as RFC 4180 defines it, strictly. Written for tests, without code of the writer. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (let at = text.startsWith('\ufeff') ? 1 : 0; at < text.length; ) {
    let cell: string;
    if (text[at] === '"') {
      let end = at + 1;
      while (text[end] !== '"' || text[end + 1] === '"') {
        if (end >= text.length) throw new Error('a quoted cell does not end');
        end += text[end] === '"' ? 2 : 1;
      }
      cell = text.slice(at + 1, end).replaceAll('""', '"');
      at = end + 1;
    } else {
      const [plain = ''] = /^[^",\r\n]*/.exec(text.slice(at)) ?? [];
      cell = plain;
      at += plain.length;
    }
    row.push(cell);
    if (text[at] === ',') at++;
    else if (text.startsWith('\r\n', at)) {
      rows.push(row);
      row = [];
      at += 2;
    } else throw new Error(`unexpected ${JSON.stringify(text.slice(at, at + 10))} after a cell`);
  }
  if (row.length > 0) throw new Error('the last line does not end');
  return rows;
}
