/** What a field of a register's table is, and how the fields of an object are read. */
import type { EntityStatus } from '../base/entity-status.ts';
import type { JoinedRows, MapContext } from './contract.ts';
import { isEmpty } from './parsing.ts';
import type { RegistryOf } from './vocabulary.ts';

/** Values that several fields of a record need. They are read before the other fields, in this order. */
export interface Common {
  readonly rows: JoinedRows;
  readonly name: string;
  readonly number: string | null;
  readonly registeredAt: string | null;
  readonly endedAt: string | null;
  readonly state: State;
}

/** The common values for fields that are read before the record. */
export const NO_COMMON: Common = {
  rows: () => [],
  name: '',
  number: null,
  registeredAt: null,
  endedAt: null,
  state: { status: 'unknown' },
};

/** The status of a company, with the code and the text of the status in the source. */
export interface State {
  readonly status: EntityStatus;
  readonly code?: string | null | undefined;
  readonly label?: string | null | undefined;
  readonly since?: string | null | undefined;
  readonly reason?: string | null | undefined;
  readonly reasonCode?: string | null | undefined;
  /** A column or role that the status was inferred from, if the source does not state it. */
  readonly inferredFrom?: string | null | undefined;
  /** Fields of `registry` that the status was decided with. */
  readonly details?: RegistryOf;
}

/** Where several statuses apply, the gravest one counts. */
export function findGravest(states: readonly State[]): State | undefined {
  return states.toSorted((a, b) => SEVERITY.indexOf(b.status) - SEVERITY.indexOf(a.status))[0];
}

const SEVERITY: readonly EntityStatus[] = ['active', 'inactive', 'in_liquidation', 'insolvent', 'dissolved'];

/** A pure function that never throws. Null if the row does not have the field. */
export interface Field<Row, Codes, Value> {
  (row: Row, context: MapContext<Codes>, common: Common): Value | null;
  /** Set if the field is the value of one column. */
  readonly column?: Column<Row, Value>;
}

interface Column<Row, Value> {
  readonly name: string;
  readonly read: (row: Row) => string;
  /** Parses trimmed text that is not empty. Null if the text itself is the value. */
  readonly parse: ((text: string) => Value | null | undefined) | null;
  /** What is reported if the text cannot be parsed. */
  readonly problem: string;
}

export type Values<Fields> = {
  readonly [Name in keyof Fields]?: Fields[Name] extends Field<never, never, infer V> ? V : never;
};

/** Fields of `registry` that are read together. */
export interface Spread<Row, Codes> {
  readonly fields: Field<Row, Codes, RegistryOf>;
}

/**
 * Returns a function that reads the fields of a row into one object, without missing fields, or null if all are missing. The function is written
 * as a text and compiled, so that every field has a line of its own: V8 can then make the function that reads the field a part of this line. A
 * loop over the fields takes up to twice as long, and most of the time of a row is spent here.
 */
export function compileFields<Row, Codes>(fields: Readonly<Record<string, unknown>>) {
  const used: unknown[] = [isEmpty, addFilled];
  const use = (value: unknown) => `used${used.push(value) - 1}`;
  const lines = Object.entries(fields as Record<string, Field<Row, Codes, unknown> | Spread<Row, Codes>>).map(
    ([name, value]) => {
      const set = `(found ??= {})[${JSON.stringify(name)}] =`;
      const readField = (field: unknown) =>
        `value = ${use(field)}(row, context, common); if (value !== null && !used0(value))`;
      if (typeof value !== 'function') return `${readField(value.fields)} used1(found ??= {}, value);`;
      const { column } = value;
      if (column === undefined) return `${readField(value)} ${set} value;`;
      // Most columns of a row are empty.
      const readText = `text = ${use(column.read)}(row); if (text !== '' && (text = text.trim()) !== '')`;
      if (column.parse === null) return `${readText} ${set} text;`;
      const report = `context.report(${JSON.stringify(column.name)}, text, ${JSON.stringify(column.problem)})`;
      const parse = `value = ${use(column.parse)}(text); if (value === null) ${report};`;
      return `${readText} { ${parse} else if (value !== undefined) ${set} value; }`;
    },
  );
  const body = `return (row, context, common) => { let found = null, text, value; ${lines.join('\n')} return found; };`;
  const compile = new Function(...used.map((_, at) => `used${at}`), body);
  return compile(...used) as (row: Row, context: MapContext<Codes>, common: Common) => Record<string, unknown> | null;
}

function addFilled(found: Record<string, unknown>, fields: Readonly<Record<string, unknown>>): void {
  for (const name in fields) {
    const value = fields[name];
    if (!isEmpty(value)) found[name] = value;
  }
}
