import type { Engine, Queries, Value } from './db.ts';

/**
 * Statements with a list of any length, such as `… WHERE id IN (list)`. Each number of placeholders is another SQL text that has to be prepared
 * once per connection, so lists have a few lengths, and a value is repeated to fill the gap, which does not change the result.
 */
const LENGTHS = [1, 4, 16, 64, 256, 1_000];
const MAX_LENGTH = 1_000;

/** The longest list of a lookup for requests. */
export const MAX_LOOKUP_SIZE = 64;

/** Returns the smallest of the lengths that is at least `count`: at most four times `count`. */
export function chooseLength(count: number): number {
  return LENGTHS.find((length) => length >= count) ?? MAX_LENGTH;
}

/** Writes a statement for the placeholders of a list. Define a frequent statement as a constant, because its texts are kept. */
export type ListStatement = (list: string) => string;

const texts = new WeakMap<ListStatement, Map<string, string>>();

/** Writes the statement for this list, whose values follow the other parameters. An empty list gives an empty text. */
export function writeListed(
  write: ListStatement,
  values: readonly Value[],
  params: readonly Value[] = [],
): [sql: string, params: Value[]] {
  const length = chooseLength(values.length);
  const known = texts.getOrInsertComputed(write, () => new Map());
  const sql = known.getOrInsertComputed(`${params.length} ${length}`, () =>
    write(Array.from({ length }, (_, index) => `$${params.length + index + 1}`).join(', ')),
  );
  const filled = [...params, ...values];
  while (filled.length < params.length + length) filled.push(values[0] ?? '');
  return [sql, filled];
}

type List = [values: readonly Value[], write: ListStatement, params?: readonly Value[]];

async function runAll<T>([values, write, params]: List, run: (...statement: [string, Value[]]) => Promise<T>) {
  const results: T[] = [];
  for (let at = 0; at < values.length; at += MAX_LENGTH)
    results.push(await run(...writeListed(write, values.slice(at, at + MAX_LENGTH), params)));
  return results;
}

export async function readListed<R extends object>(db: Pick<Queries, 'all'>, ...list: List): Promise<R[]> {
  return (await runAll(list, (...statement) => db.all<R>(...statement))).flat();
}

export async function readListedRows(db: Pick<Queries, 'rows'>, ...list: List): Promise<Value[][]> {
  return (await runAll(list, (...statement) => db.rows(...statement))).flat();
}

export async function runListed(db: Pick<Queries, 'run'>, ...list: List): Promise<number> {
  const counts = await runAll(list, (...statement) => db.run(...statement));
  return counts.reduce((sum, count) => sum + count, 0);
}

const LISTS: Readonly<Record<Engine, string>> = {
  sqlite: 'json_each($1)',
  postgres: `(SELECT value, ordinality - 1 AS key FROM json_array_elements_text(CAST($1 AS json)) WITH ORDINALITY AS t (value, ordinality))`,
};

/** A table of the texts in `$1`, a JSON list: `value`, and its place as `key`. One parameter of any length costs less than many. */
export function writeList(engine: Engine): string {
  return LISTS[engine];
}
