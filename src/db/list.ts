import type { Engine } from './db.ts';

const LISTS: Readonly<Record<Engine, string>> = {
  sqlite: 'json_each($1)',
  postgres: `(SELECT value, ordinality - 1 AS key FROM json_array_elements_text(CAST($1 AS json)) WITH ORDINALITY AS t (value, ordinality))`,
};

/** A table of the texts in `$1`, a JSON list: `value`, and its place as `key`. One parameter of any length costs less than many. */
export function writeList(engine: Engine): string {
  return LISTS[engine];
}
