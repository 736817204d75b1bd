/** Writes a Markdown table. Cells must not contain line breaks. */
export function writeTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  { centred = false }: { readonly centred?: boolean } = {},
): string {
  const rule = header.map((_, index) => (centred && index > 0 ? ':-:' : '---'));
  return [header, rule, ...rows].map(writeRow).join('');
}

function writeRow(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
}
