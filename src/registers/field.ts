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
 * Returns a function that reads the fields of a row into one object, without missing fields, or null if all are missing. Most columns of a row
 * are empty. Fields of a single column are read in the loop here, because calling a function for each column is slower.
 */
export function compileFields<Row, Codes>(fields: Readonly<Record<string, unknown>>) {
  const members = Object.entries(fields as Record<string, Field<Row, Codes, unknown> | Spread<Row, Codes>>).map(
    ([name, value]) => {
      const isSpread = typeof value !== 'function';
      const field: Field<Row, Codes, unknown> = isSpread ? value.fields : value;
      return { name, isSpread, field, column: field.column };
    },
  );
  return (row: Row, context: MapContext<Codes>, common: Common): Record<string, unknown> | null => {
    let found: Record<string, unknown> | null = null;
    for (const { name, isSpread, field, column } of members) {
      let value: unknown;
      if (column !== undefined) {
        const text = column.read(row).trim();
        if (text === '') continue;
        value = column.parse === null ? text : column.parse(text);
        if (value === undefined) continue;
        if (value === null) {
          context.report(column.name, text, column.problem);
          continue;
        }
      } else {
        value = field(row, context, common);
        if (value === null || isEmpty(value)) continue;
      }
      found ??= {};
      if (!isSpread) found[name] = value;
      else addFilled(found, value as Readonly<Record<string, unknown>>);
    }
    return found;
  };
}

function addFilled(found: Record<string, unknown>, fields: Readonly<Record<string, unknown>>): void {
  for (const name in fields) {
    const value = fields[name];
    if (!isEmpty(value)) found[name] = value;
  }
}
