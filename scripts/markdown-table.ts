import { registers } from '../src/registers/index.ts';

/** Writes a Markdown table. Cells must not contain line breaks. */
export function writeTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [header, header.map(() => '---'), ...rows].map(writeRow).join('');
}

function writeRow(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
}

/** The ids of registers in upper case, or those that are missing if they are few. */
export function writeRegisters(ids: readonly string[] = []): string {
  if (ids.length === registers.length) return 'all';
  if (ids.length === 0) return 'none';
  const others = registers.flatMap(({ id }) => (ids.includes(id) ? [] : [id]));
  const listed = (others.length * 2 < ids.length ? others : ids).map((id) => id.toUpperCase()).join(' ');
  return others.length * 2 < ids.length ? `all but ${listed}` : listed;
}
