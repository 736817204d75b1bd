/** The tables of a register: how a record, or a party, is made of a row. Each table is compiled once into one function. */
import {
  type Activity,
  type Cell,
  type JoinedRows,
  type Link,
  type MapContext,
  type MappedParty,
  type MappedRecord,
  NO_DETAILS,
  noRows,
  type Registration,
  type Rejection,
  type UnknownKind,
} from './contract.ts';
import { type Common, compileFields, type Field, NO_COMMON, type Spread, type State } from './field.ts';
import { NO_PARTY_DETAILS } from './mapped.ts';
import { type Tree, textOf, treeOf } from './parsing.ts';
import type { LegalFormOf, RegistryOf } from './vocabulary.ts';

export interface RecordTable<Row, Codes> {
  /** Rows without a name are rejected. */
  readonly name: Field<Row, Codes, string>;
  /** The name of a company without one, such as its number. Then `registry.nameMissing` is set. */
  readonly substitute?: Field<Row, Codes, string>;
  /** Which rows are not companies, and what such rows are. */
  readonly excluded?: readonly [what: string, isExcluded: (row: Row) => boolean];
  /** Why a row without a name is rejected. Default: `no name`. */
  readonly nameless?: string;
  readonly number: Field<Row, Codes, string>;
  /** Set for a register that spans countries. Rows without a country are rejected. */
  readonly country?: Field<Row, Codes, string>;
  readonly registeredAt?: Field<Row, Codes, string>;
  readonly endedAt?: Field<Row, Codes, string>;
  readonly status: Field<Row, Codes, State>;
  readonly legalForm?: Field<Row, Codes, LegalFormOf>;
  /** The number in this register comes first. */
  readonly registrations: readonly Field<Row, Codes, Registration | readonly Registration[]>[];
  readonly activities?: Field<Row, Codes, readonly Activity[]>;
  readonly link?: Field<Row, Codes, Link>;
  /** The fields in the order in which the record shows them. The key of a `spread` has no effect: its value has names of its own. */
  readonly registry: RegistryFields<Row, Codes>;
}

type RegistryFields<Row, Codes> = {
  readonly [Name in keyof RegistryOf]?: Field<Row, Codes, NonNullable<RegistryOf[Name]>> | Spread<Row, Codes>;
};

/** Fields of `registry` that are read together. */
export function spread<Row, Codes>(fields: Field<Row, Codes, RegistryOf>): Spread<Row, Codes> {
  return { fields };
}

export type MapRow<Row, Codes> = (row: Row, context: MapContext<Codes>, rows?: JoinedRows) => MappedRecord | Rejection;

const NOTHING = () => null;

export function describeRecord<Row, Codes>(table: RecordTable<Row, Codes>): MapRow<Row, Codes> {
  const { name, substitute, excluded, nameless = 'no name', number, country, registrations, link } = table;
  const { registeredAt = NOTHING, endedAt = NOTHING, status, legalForm = NOTHING, activities = NOTHING } = table;
  const readRegistry = compileFields<Row, Codes>(table.registry);
  return (row, context, rows = noRows) => {
    if (excluded?.[1](row)) return { rejected: excluded[0], expected: true };
    const common: Writable<Common> = { ...NO_COMMON, rows };
    const known = name(row, context, common);
    const canonicalName = known ?? substitute?.(row, context, common) ?? null;
    if (canonicalName === null) return { rejected: nameless };
    common.name = canonicalName;
    const place = country?.(row, context, common);
    if (place === null) return { rejected: 'no country' };
    common.number = number(row, context, common);
    common.registeredAt = registeredAt(row, context, common);
    common.endedAt = endedAt(row, context, common);
    common.state = status(row, context, common) ?? NO_COMMON.state;
    const record: Writable<MappedRecord> = {
      number: common.number,
      canonicalName,
      status: common.state.status,
      legalForm: legalForm(row, context, common),
      registeredAt: common.registeredAt,
      registrations: listRegistrations(row, context, common),
      activities: activities(row, context, common) ?? [],
      registry: (readRegistry(row, context, common) ?? {}) as RegistryOf,
    };
    if (known === null) record.registry = { nameMissing: true, ...record.registry };
    if (place !== undefined) record.country = place;
    const linked = link?.(row, context, common) ?? null;
    if (linked !== null) record.link = linked;
    return record;
  };

  function listRegistrations(row: Row, context: MapContext<Codes>, common: Common): readonly Registration[] {
    const found: Registration[] = [];
    for (const read of registrations) {
      const registration = read(row, context, common);
      if (Array.isArray(registration)) found.push(...registration);
      else if (registration !== null) found.push(registration as Registration);
    }
    return found;
  }
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

/**
 * The number in this register, with the status and the days of the company. Some registers are stored with the number in another place, and
 * another order would change every record.
 */
export function ownNumber(authority: string, check?: CheckOwn, place: 'first' | 'afterStatus' | 'last' = 'first') {
  const addNumber = (own: Own, number: string) => {
    const valid = check?.(number) ?? null;
    own.number = number;
    if (valid !== null) own.numberValid = valid;
  };
  return (_row: unknown, _context: unknown, { number, registeredAt, endedAt, state }: Common): Registration | null => {
    if (number === null) return null;
    const own: Own = { authority, type: 'national' };
    if (place === 'first') addNumber(own, number);
    own.status = state.label ?? null;
    if (state.code) own.statusCode = state.code;
    if (place === 'afterStatus') addNumber(own, number);
    own.registeredAt = registeredAt;
    own.endedAt = endedAt;
    if (place === 'last') addNumber(own, number);
    return own as Registration;
  };
}

type CheckOwn = (number: string) => boolean | null;
/** Built key by key, because spreading objects takes a tenth of the time of a row. */
type Own = Writable<Partial<Registration>>;

/** Another number, of which the source has no details. */
export function otherNumber<Row, Codes>(
  authority: string,
  type: Registration['type'],
  field: Field<Row, Codes, string>,
  check?: (number: string) => boolean,
): Field<Row, Codes, Registration> {
  return (row, context, common) => {
    const number = field(row, context, common);
    if (number === null) return null;
    return { authority, type, number, ...(check && { numberValid: check(number) }), ...NO_DETAILS };
  };
}

/** `registry.status`: what the source has about the status. */
export function ownStatus(_row: unknown, _context: unknown, { state }: Common) {
  const status: Writable<NonNullable<RegistryOf['status']>> = {};
  if (state.code) status.code = state.code;
  if (state.label) status.label = state.label;
  if (state.since) status.since = state.since;
  if (state.reason) status.reason = state.reason;
  if (state.reasonCode) status.reasonCode = state.reasonCode;
  return status;
}

/** `registry.statusInferredFrom`. */
export function ownInference(_row: unknown, _context: unknown, { state }: Common): string | null {
  return state.inferredFrom ?? null;
}

export function ownEnd(_row: unknown, _context: unknown, { endedAt }: Common): string | null {
  return endedAt;
}

/** The mapping of a table for the same records in JSON. The name of a column is a key, or a path of keys. */
export function mapJson<Codes>(map: MapRow<Cell, Codes>) {
  return (record: Tree, context: MapContext<Codes>) =>
    map((path) => {
      const isKey = !path.includes('.') || Object.hasOwn(record, path);
      const [key = '', ...outer] = isKey ? [path] : path.split('.').reverse();
      return textOf(outer.reduceRight(treeOf, record), key);
    }, context);
}

/** The context for an edition with other names for its columns, under which problems are reported. */
export function reportAs(rename: (column: string) => string) {
  const contexts = new WeakMap<object, object>();
  return <Codes>(context: MapContext<Codes>): MapContext<Codes> =>
    contexts.getOrInsertComputed(context, () => ({
      ...context,
      report: (column: string, value: string, problem: string) => context.report(rename(column), value, problem),
      reportUnknown: (kind: UnknownKind, column: string, value: string) =>
        context.reportUnknown(kind, rename(column), value),
    })) as MapContext<Codes>;
}

/** The table of a source of parties: how a party is made of a row. A detail without a field is unknown; without `current`, the party is in force. */
export type PartyTable<Row, Codes> = {
  readonly [Name in keyof MappedParty]?: Field<Row, Codes, NonNullable<MappedParty[Name]>>;
} & {
  /** Why a row is not a party. */
  readonly reject?: (row: Row, context: MapContext<Codes>) => Rejection | null;
  /** Fields that are read together. */
  readonly more?: Spread<Row, Codes>;
  /** Why a row without one of these fields is rejected. */
  readonly needs?: { readonly [Name in keyof MappedParty]?: string };
};

const UNKNOWN_PARTY = { ...NO_PARTY_DETAILS, roleText: '', kind: 'unknown', current: true } as const;

export function describeParty<Row, Codes>({ reject, needs = {}, ...fields }: PartyTable<Row, Codes>) {
  const read = compileFields<Row, Codes>(fields);
  const needed = (Object.entries(needs) as [keyof MappedParty, string][]).map(
    ([name, rejected]) => [fields[name] as Field<Row, Codes, unknown>, rejected] as const,
  );
  return (row: Row, context: MapContext<Codes>): MappedParty | Rejection => {
    for (const [field, rejected] of needed) if (field(row, context, NO_COMMON) === null) return { rejected };
    const rejection = reject?.(row, context) ?? null;
    return rejection ?? { ...UNKNOWN_PARTY, ...(read(row, context, NO_COMMON) as unknown as MappedParty) };
  };
}
