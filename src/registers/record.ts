/** The table of a register: how a record is made of a row. It is compiled once into one function. */
import {
  type Activity,
  type JoinedRows,
  type Link,
  type MapContext,
  type MappedRecord,
  NO_DETAILS,
  noRows,
  type Registration,
  type Rejection,
} from './contract.ts';
import type { Common, Field, State } from './fields.ts';
import { compact, isEmpty } from './parsing.ts';
import type { LegalFormOf, RegistryOf } from './vocabulary.ts';

export interface RecordTable<Row, Codes> {
  /** Rows without a name are rejected. */
  readonly name: Field<Row, Codes, string>;
  /** Why a row without a name is rejected. Default: `no name`. */
  readonly nameless?: string;
  readonly number: Field<Row, Codes, string>;
  /** Of a register that spans countries. Rows without a country are rejected. */
  readonly country?: Field<Row, Codes, string>;
  readonly registeredAt?: Field<Row, Codes, string>;
  readonly endedAt?: Field<Row, Codes, string>;
  readonly status: Field<Row, Codes, State>;
  readonly legalForm?: Field<Row, Codes, LegalFormOf>;
  /** The number in this register comes first. */
  readonly registrations: readonly Field<Row, Codes, Registration | readonly Registration[]>[];
  readonly activities?: Field<Row, Codes, readonly Activity[]>;
  readonly link?: Field<Row, Codes, Link>;
  /** In the order in which the record shows them. The name of a field that `spread` returns has no effect. */
  readonly registry: RegistryFields<Row, Codes>;
}

type RegistryFields<Row, Codes> = {
  readonly [Name in keyof RegistryOf]?: Field<Row, Codes, NonNullable<RegistryOf[Name]>> | Spread<Row, Codes>;
};

interface Spread<Row, Codes> {
  readonly fields: Field<Row, Codes, RegistryOf>;
}

/** Fields of `registry` that are read together. */
export function spread<Row, Codes>(fields: Field<Row, Codes, RegistryOf>): Spread<Row, Codes> {
  return { fields };
}

export type MapRow<Row, Codes> = (row: Row, context: MapContext<Codes>, rows?: JoinedRows) => MappedRecord | Rejection;

const UNKNOWN: State = { status: 'unknown' };
const NOTHING = () => null;

export function describeRecord<Row, Codes>(table: RecordTable<Row, Codes>): MapRow<Row, Codes> {
  const { name, nameless = 'no name', number, country, registrations, link } = table;
  const { registeredAt = NOTHING, endedAt = NOTHING, status, legalForm = NOTHING, activities = NOTHING } = table;
  const registry = Object.entries(table.registry as Readonly<Record<string, unknown>>).map(([field, value]) =>
    typeof value === 'function'
      ? { field, read: value as Field<Row, Codes, unknown>, isSpread: false }
      : { field, read: (value as Spread<Row, Codes>).fields as Field<Row, Codes, unknown>, isSpread: true },
  );
  return (row, context, rows = noRows) => {
    const common: Writable<Common> = {
      rows,
      name: '',
      number: null,
      registeredAt: null,
      endedAt: null,
      state: UNKNOWN,
    };
    const canonicalName = name(row, context, common);
    if (canonicalName === null) return { rejected: nameless };
    common.name = canonicalName;
    const place = country?.(row, context, common);
    if (place === null) return { rejected: 'no country' };
    common.number = number(row, context, common);
    common.registeredAt = registeredAt(row, context, common);
    common.endedAt = endedAt(row, context, common);
    common.state = status(row, context, common) ?? UNKNOWN;
    const linked = link?.(row, context, common) ?? null;
    return {
      number: common.number,
      ...(place !== undefined && { country: place }),
      canonicalName,
      status: common.state.status,
      legalForm: legalForm(row, context, common),
      registeredAt: common.registeredAt,
      registrations: registrations.flatMap((registration) => registration(row, context, common) ?? []),
      activities: activities(row, context, common) ?? [],
      ...(linked !== null && { link: linked }),
      registry: readRegistry(row, context, common),
    };
  };

  function readRegistry(row: Row, context: MapContext<Codes>, common: Common): RegistryOf {
    const found: Record<string, unknown> = {};
    for (const { field, read, isSpread } of registry) {
      const value = read(row, context, common);
      if (isEmpty(value)) continue;
      if (!isSpread) found[field] = value;
      else for (const name in value as object) addFilled(found, name, (value as Record<string, unknown>)[name]);
    }
    return found as RegistryOf;
  }
}

function addFilled(found: Record<string, unknown>, name: string, value: unknown): void {
  if (!isEmpty(value)) found[name] = value;
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

/** The number in this register, with the status and the days of the company. */
export function ownNumber(authority: string, check?: CheckOwn) {
  return (_row: unknown, _context: unknown, common: Common): Registration | null => {
    const { number } = common;
    if (number === null) return null;
    return { authority, type: 'national', number, ...checkOwn(number, check), ...describeOwn(common) };
  };
}

/** With the number at the end, as some registers have always been stored: another order would change every record. */
export function ownNumberLast(authority: string, check?: CheckOwn) {
  return (_row: unknown, _context: unknown, common: Common): Registration | null => {
    const { number } = common;
    if (number === null) return null;
    return { authority, type: 'national', ...describeOwn(common), number, ...checkOwn(number, check) };
  };
}

type CheckOwn = (number: string) => boolean | null;

function checkOwn(number: string, check: CheckOwn | undefined) {
  const numberValid = check?.(number) ?? null;
  return numberValid === null ? {} : { numberValid };
}

function describeOwn({ registeredAt, endedAt, state }: Common) {
  const { label = null, code } = state;
  return { status: label, ...(code && { statusCode: code }), registeredAt, endedAt };
}

/** Another number, of which the source has no details. */
export function otherNumber<Row, Codes>(
  authority: string,
  type: Registration['type'],
  field: Field<Row, Codes, string>,
): Field<Row, Codes, Registration> {
  return (row, context, common) => {
    const number = field(row, context, common);
    return number === null ? null : { authority, type, number, ...NO_DETAILS };
  };
}

/** `registry.status`: what the source says about the status. */
export function ownStatus(_row: unknown, _context: unknown, { state }: Common) {
  const { code, label, since, reason, reasonCode } = state;
  return compact({ code, label, since, reason, reasonCode });
}

export function ownEnd(_row: unknown, _context: unknown, { endedAt }: Common): string | null {
  return endedAt;
}
