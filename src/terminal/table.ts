/** Renders rows in aligned columns. Columns of numbers are right-aligned. */
export function renderTable(header: readonly string[], rows: ReadonlyArray<readonly (string | number)[]>): string {
  const cells = rows.map((row) => row.map((cell) => (typeof cell === 'number' ? formatCount(cell) : cell)));
  const isNumeric = header.map((_, column) => rows.length > 0 && rows.every((row) => typeof row[column] === 'number'));
  const widths = header.map((title, column) =>
    Math.max(title.length, ...cells.map((row) => (row[column] ?? '').length)),
  );
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) =>
        isNumeric[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd();
  return `${[header, widths.map((width) => '─'.repeat(width)), ...cells].map(line).join('\n')}\n`;
}

/** `1234567` → `1,234,567`, independent of the machine's locale. */
export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}
