import type { WholeResult } from '../../src/search/search.ts';

/** The rows of a whole result as the `data` of one page, in the same bytes. `between` runs after each part that is read. */
export async function readData(
  result: WholeResult,
  { limit = Number.POSITIVE_INFINITY, between = () => undefined as unknown } = {},
): Promise<string> {
  let text = '';
  let rows = 0;
  for await (const part of result.read(limit)) {
    text += new TextDecoder().decode(part.lines);
    rows += part.rows;
    await between();
  }
  const lines = text.split('\n').slice(0, -1);
  if (lines.length !== rows) throw new Error(`${lines.length} lines, but ${rows} rows`);
  return `{"data":[${lines.join(',')}],`;
}
