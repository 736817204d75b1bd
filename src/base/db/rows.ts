import type { Queries, Value } from './db.ts';

type Changes<Row> = { readonly [F in keyof Row]?: Row[F] | undefined };

/**
 * The statements for single rows of a table. A field is the column of the same name in snake case: `accountId` is `account_id`. Each combination of
 * fields is another SQL text, so the names of fields must come from the code, never from a request.
 */
export function defineTable<Row extends object>(table: string) {
  return {
    /** Writes the columns of a SELECT that returns rows with these fields. `alias` is the alias of the table. */
    select: (alias: string, ...fields: readonly (keyof Row & string)[]): string =>
      fields.map((field) => `${alias}.${toColumn(field)} AS "${field}"`).join(', '),
    /** Missing and undefined fields get the default of their column. */
    async insert(db: Pick<Queries, 'run'>, row: Changes<Row>): Promise<void> {
      const fields = listDefined(row);
      const columns = fields.map(([field]) => toColumn(field));
      const params = fields.map(([, value]) => value);
      const places = params.map((_, index) => `$${index + 1}`);
      await db.run(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places.join(', ')})`, params);
    },
    /** Changes the rows whose fields have the values of `where`. Missing and undefined fields keep their value. Returns the number of rows. */
    update(db: Pick<Queries, 'run'>, where: Changes<Row>, changes: Changes<Row>): Promise<number> {
      const params: Value[] = [];
      const write = (field: string, value: Value) => `${toColumn(field)} = $${params.push(value)}`;
      const assignments = listDefined(changes).map(([field, value]) => write(field, value));
      const conditions = listDefined(where).map(([field, value]) =>
        value === null ? `${toColumn(field)} IS NULL` : write(field, value),
      );
      return db.run(`UPDATE ${table} SET ${assignments.join(', ')} WHERE ${conditions.join(' AND ')}`, params);
    },
  };
}

function listDefined(fields: object): [field: string, value: Value][] {
  return Object.entries(fields).filter(([, value]) => value !== undefined);
}

function toColumn(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
