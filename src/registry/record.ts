import { hash } from 'node:crypto';
import { type SourceName, sourceNames, summaryFields } from '../core/entity-summary.ts';
import { fold } from '../core/fold.ts';
import { nameUuid } from '../core/ids.ts';
import { activityKeys, numberKeys } from '../core/search-keys.ts';
import { toStorable } from '../core/storable.ts';
import type { Value } from '../db/db.ts';
import type { Activity, Link, MappedRecord, Register } from '../registers/contract.ts';
import type { ActivityOf } from '../registers/vocabulary.ts';
import { isLong } from './bounds.ts';
import { type ContentColumn, contentColumns, type ImportColumn, importColumns } from './store.ts';

/**
 * A record ready to be stored. `content` is one string: a long string goes to another thread at a tenth of the cost of
 * its parts, and it is hashed as it is.
 */
export interface PreparedRecord {
  readonly id: string;
  /** Row of the source file. */
  readonly place: number;
  /** All rows that the record was read from (`origins.ts`), if it is more than that one. */
  readonly origins?: string | undefined;
  /** `contentColumns`, each as its name and its value, in their order. Null values are left out. */
  readonly content: string;
  /** Changes with the content and with the linked entity. */
  readonly contentHash: string;
  readonly link: PreparedLink | null;
}

export interface PreparedLink {
  /** Id of the linked entity, which need not be in the store. */
  readonly to: string;
  /** The numbers of this record, by which the linked entity is found too. */
  readonly numbers: string;
}

/** The source row as `source-data.ts` keeps it; a tree has no layout. */
export interface StoredSource {
  readonly layout: number | null;
  readonly text: string;
}

/** After each name and value. No value contains it: JSON escapes it, and `toStorable` replaces it. */
const SEPARATOR = '\0';

/**
 * Identity is `countryCode/register/number`. A row without a number is identified by its name, date and legal form;
 * imports report how many there are.
 */
export function prepareRecord(
  register: Register,
  record: MappedRecord,
  source: StoredSource,
  place: number,
  registers: RegistersById,
  origins?: string,
): PreparedRecord {
  const { number, canonicalName, status, registeredAt, registrations } = record;
  const legalForm = showLegalForm(record.legalForm);
  const country = record.country ?? register.country ?? '';
  const key = number ?? JSON.stringify([canonicalName, registeredAt, legalForm]);
  const numbers = toStorable(numberKeys(registrations.map(({ number }) => number)));
  const summary: Readonly<Record<SourceName, string | null>> = {
    countryCode: country,
    register: register.id,
    registrationNumber: registrations[0]?.number || null,
    canonicalName,
    status,
    legalForm,
    city: readCity(record.registry),
    registeredAt,
  };
  const values: Readonly<Record<ImportColumn, string | null>> = {
    name_key: toStorable(fold(toStorable(canonicalName))),
    number_keys: numbers,
    activity_keys: toStorable(activityKeys(record.activities)),
    legal_form_code: readFormCode(record.legalForm),
    registrations: JSON.stringify(registrations),
    registry: JSON.stringify(addDerivedFields(record)),
    layout: source.layout === null ? null : String(source.layout),
    source_data: source.text,
  };
  let content = '';
  for (const name of sourceNames) {
    const value = summary[name];
    if (value !== null) content += writeField(summaryFields[name].column, toStorable(value));
  }
  for (const column of importColumns) {
    const value = values[column];
    if (value !== null) content += writeField(column, value);
  }
  const to = record.link && findLinkedId(record.link, registers);
  return {
    id: nameUuid(`${country}/${register.id}/${key}`),
    place,
    origins,
    content,
    contentHash: hashContent(content, to),
    link: to === undefined ? null : { to, numbers },
  };
}

function showLegalForm(form: MappedRecord['legalForm']): string | null {
  return form?.label ?? form?.code ?? null;
}

function readFormCode(form: MappedRecord['legalForm']): string | null {
  return form?.code ? toStorable(form.code) : null;
}

function readCity({ address }: MappedRecord['registry']): string | null {
  return address?.city && !isLong(address.city) ? address.city : null;
}

/** `registry` with the fields that the record has at its top level: what can be filtered is always visible. */
function addDerivedFields({ registry, legalForm, activities }: MappedRecord): Readonly<Record<string, unknown>> {
  return {
    ...(legalForm !== null && { legalForm }),
    ...(activities.length > 0 && { activities: activities.map(showActivity) }),
    ...registry,
  };
}

function showActivity({ type, code, label, scheme, edition, main, national }: Activity): ActivityOf {
  return {
    ...(code !== null && { code }),
    ...(label !== null && { label }),
    scheme,
    ...(edition !== undefined && { edition }),
    type,
    ...(main !== undefined && { main }),
    ...national,
  };
}

export type RegistersById = ReadonlyMap<string, Register>;

export function indexRegisters(registers: readonly Register[]): RegistersById {
  return new Map(registers.map((register) => [register.id, register]));
}

/** The id of the linked entity, which may not be imported yet; undefined when there is no such register. */
export function findLinkedId({ register: id, number }: Link, registers: RegistersById): string | undefined {
  const register = registers.get(id);
  if (register === undefined) return undefined;
  const bare = number.replace(/\s/g, '');
  return nameUuid(`${register.country}/${id}/${register.writeNumber?.(bare) ?? bare}`);
}

/**
 * The names of the columns are part of what is hashed, and null values are not: a column that is new and null changes
 * no record's hash. 144 bits, so that two contents never have the same hash by accident.
 */
function hashContent(content: string, linkedId: string | undefined): string {
  const text = linkedId === undefined ? content : `${content}link${SEPARATOR}${linkedId}`;
  return hash('sha256', text, 'base64url').slice(0, 24);
}

function writeField(column: ContentColumn, value: string): string {
  return column + SEPARATOR + value + SEPARATOR;
}

/** The values of `contentColumns`, in their order. */
export function readContent(content: string): Value[] {
  const fields = content.split(SEPARATOR);
  let next = 0;
  return contentColumns.map((column) => {
    if (fields[next] !== column) return null;
    next += 2;
    const value = fields[next - 1] as string;
    return column === 'layout' ? Number(value) : value;
  });
}

/** The country of the record. Reading all columns to get one of them would copy the whole text. */
export function readCountry(content: string): string {
  const name = summaryFields.countryCode.column + SEPARATOR;
  const start = content.indexOf(name) + name.length;
  return content.slice(start, content.indexOf(SEPARATOR, start));
}
