import { MAX_NAME_LENGTH } from '../../base/entity-summary.ts';
import { fold } from '../../base/fold.ts';
import { formatCount } from '../../base/format-count.ts';
import { digest, nameUuid } from '../../base/ids.ts';
import type { PartyMode, SetModes } from '../../base/party-modes.ts';
import { activityKeys, numberKeys, removeSeparators } from '../../base/search-keys.ts';
import { toStorable } from '../../base/storable.ts';
import {
  type Activity,
  indexRegisters,
  type Link,
  type MapContext,
  type MappedParty,
  type MappedRecord,
  type Register,
  type RegistersById,
  type Rejection,
} from '../../registers/contract.ts';
import { packRow } from '../../registry/parties/new-party.ts';
import { hashContent, writeContent } from '../../registry/records/record-content.ts';
import type { Layout } from '../../registry/records/source-data.ts';
import { createWithholding, type SourceText, type SuppressedParty } from '../../registry/records/withholding.ts';

/** A company or a party that is ready to be stored. */
export interface PreparedRow {
  readonly id: string;
  readonly place: number;
  /** All rows that a record was read from (`parseOrigins`), if the record has more rows than `place`. */
  readonly origins?: string | undefined;
  /** What is stored of the row, as `record-content.ts` and `new-party.ts` write it. */
  readonly content: string;
  /** Changes with the content and with the linked entity. */
  readonly contentHash: string;
  readonly link?: PreparedLink | null | undefined;
}

interface PreparedLink {
  /** Id of the linked entity, which need not be in the store. */
  readonly to: string;
  /** The numbers of this record, by which the linked entity is also found. */
  readonly numbers: string;
}

/** The source row as `source-data.ts` keeps it; a tree has no layout. */
export interface StoredSource extends SourceText {
  readonly layout: Layout | null;
}

export type PrepareTools = ReturnType<typeof createPrepareTools>;

/** What the rows of an import have in common. `modes`: which parties are stored. */
export function createPrepareTools(
  register: Register,
  registers: readonly Register[],
  modes: SetModes,
  suppressed: readonly SuppressedParty[],
) {
  const withholding = createWithholding(register, modes, suppressed);
  // All registers, because a record may link to a record of another register.
  return { register, registers: indexRegisters(registers), modes, withholding };
}

/** Identity is `countryCode/register/number`, or without a number the name, date and legal form, which is reported. */
export function prepareRecord(
  { register, registers, withholding }: PrepareTools,
  record: MappedRecord,
  source: StoredSource,
  place: number,
  origins?: string,
): PreparedRow {
  const { number, canonicalName, status, registeredAt, registrations } = record;
  const legalForm = showLegalForm(record.legalForm);
  const country = record.country ?? register.country ?? '';
  const key = number ?? JSON.stringify([canonicalName, registeredAt, legalForm]);
  const id = nameUuid(`${country}/${register.id}/${key}`);
  const name = toStorable(canonicalName);
  const numbers = toStorable(numberKeys(registrations.map(({ number }) => number)));
  const content = writeContent({
    country_code: toStorable(country),
    register: register.id,
    registration_number: toStorableOrNull(registrations[0]?.number || null),
    canonical_name: name,
    status,
    legal_form: toStorableOrNull(legalForm),
    city: toStorableOrNull(findCity(record.registry)),
    registered_at: toStorableOrNull(registeredAt),
    jurisdiction: toStorableOrNull(findJurisdiction(record.registry)),
    name_key: toStorable(fold(name)),
    number_keys: numbers,
    activity_keys: toStorable(activityKeys(record.activities)),
    legal_form_code: toStorableOrNull(record.legalForm?.code || null),
    registrations: JSON.stringify(registrations),
    registry: writeRegistry(record, withholding.registry(id, record.registry)),
    layout: source.layout === null ? null : String(source.layout.id),
    source_data: withholding.source(id, source.layout?.columns ?? null, source),
  });
  const to = record.link && findLinkedId(record.link, registers);
  return {
    id,
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

function toStorableOrNull(text: string | null): string | null {
  return text === null ? null : toStorable(text);
}

function findCity({ address }: MappedRecord['registry']): string | null {
  return address?.city && !isLong(address.city) ? address.city : null;
}

function findJurisdiction({ jurisdiction }: MappedRecord['registry']): string | null {
  return jurisdiction && JURISDICTION.test(jurisdiction) ? jurisdiction : null;
}

/** The form of a jurisdiction. Text in another form cannot be searched. */
const JURISDICTION = /^[A-Z]{2}(?:-[A-Z0-9]{1,3})?$/;

/**
 * The JSON of `registry`, after the fields that the record has at its top level, so that all fields with filters are visible. Copying all fields into
 * one object would take longer than joining the texts.
 */
function writeRegistry({ legalForm, activities }: MappedRecord, registry: MappedRecord['registry']): string {
  const text = JSON.stringify(registry);
  if (legalForm === null && activities.length === 0) return text;
  const derived: Record<string, unknown> = {};
  if (legalForm !== null) derived.legalForm = legalForm;
  if (activities.length > 0) derived.activities = activities.map(showActivity);
  return `${JSON.stringify(derived).slice(0, -1)}${text === '{}' ? '' : ','}${text.slice(1)}`;
}

function showActivity({ type, code, label, scheme, edition, main, national }: Activity): object {
  const shown: Record<string, unknown> = {};
  if (code !== null) shown.code = code;
  if (label !== null) shown.label = label;
  shown.scheme = scheme;
  if (edition !== undefined) shown.edition = edition;
  shown.type = type;
  if (main !== undefined) shown.main = main;
  return national === undefined ? shown : Object.assign(shown, national);
}

/** The id of the linked entity, which may not be imported yet; undefined when there is no such register. */
export function findLinkedId({ register: id, number }: Link, registers: RegistersById): string | undefined {
  const register = registers.get(id);
  if (register === undefined) return undefined;
  const bare = number.replace(/\s/g, '');
  return nameUuid(`${register.country}/${id}/${register.writeNumber?.(bare) ?? bare}`);
}

/**
 * Characters of a number, a legal form or a city. The longest official values have about 100. Pages of a hundred records, the search index and
 * the indexes of PostgreSQL (2,704 bytes per entry) rely on this limit. `sourceData` always has the complete value.
 */
const MAX_VALUE_LENGTH = 500;

/**
 * Cuts a name that is too long, and leaves out other values that are too long. Both kinds of values are reported. Without its
 * registration number a record has no identity, so such a row is rejected.
 */
export function boundRecord(
  record: MappedRecord | Rejection,
  { report }: Pick<MapContext<unknown>, 'report'>,
): MappedRecord | Rejection {
  if ('rejected' in record) return record;
  const { number, canonicalName, legalForm, registrations } = record;
  const isNameLong = canonicalName.length > MAX_NAME_LENGTH;
  const isFormLong = isLong(legalForm?.code) || isLong(legalForm?.label);
  const isRegistrationLong = registrations.some((each) => isLong(each.number));
  if (!isNameLong && !isFormLong && !isRegistrationLong && !isLong(number)) return record;
  if (isLong(number)) return { rejected: describeLength('the registration number', MAX_VALUE_LENGTH) };
  const tooLong = describeLength('left out: it', MAX_VALUE_LENGTH);
  if (isNameLong) report('canonicalName', canonicalName, describeLength('cut: it', MAX_NAME_LENGTH));
  if (isFormLong) report('legalForm', (isLong(legalForm?.code) ? legalForm?.code : legalForm?.label) ?? '', tooLong);
  return {
    ...record,
    canonicalName: canonicalName.slice(0, MAX_NAME_LENGTH),
    legalForm: isFormLong ? null : legalForm,
    registrations: registrations.filter((each) => {
      if (isLong(each.number)) report('registrations', each.number ?? '', tooLong);
      return !isLong(each.number);
    }),
  };
}

function isLong(text: string | null | undefined): boolean {
  return typeof text === 'string' && text.length > MAX_VALUE_LENGTH;
}

function describeLength(what: string, limit: number): string {
  return `${what} has more than ${formatCount(limit)} characters`;
}

export const A_PERSON = 'a person';

/** Parties of one record with the same key, such as two people of one name, are numbered unless they are the same. */
export function createNumbering() {
  let lastPlace = 0;
  const texts = new Map<string, string[]>();
  return (mapped: MappedParty, { text }: StoredSource, place: number): MappedParty => {
    if (place !== lastPlace) texts.clear();
    lastPlace = place;
    const known = texts.getOrInsertComputed(mapped.key, () => []);
    const index = known.includes(text) ? known.indexOf(text) : known.push(text) - 1;
    return index === 0 ? mapped : { ...mapped, key: `${mapped.key}/${index + 1}` };
  };
}

/** A row about unnamed persons behind a company has no name. A party that may be a person is treated as a person. */
function mayBePerson({ kind, name }: MappedParty): boolean {
  return kind !== 'organisation' && name !== null;
}

export function boundParty(
  mapped: MappedParty | Rejection,
  mode: PartyMode,
  isSuppressed: (party: MappedParty) => boolean,
): MappedParty | Rejection {
  if ('rejected' in mapped) return mapped;
  if (mode !== 'names' && mayBePerson(mapped)) return { rejected: A_PERSON, expected: true };
  if (isSuppressed(mapped)) return { rejected: 'suppressed', expected: true };
  const texts = [mapped.company, mapped.key, mapped.roleText, mapped.name, mapped.number, mapped.absence?.text];
  return texts.some(isLong) ? { rejected: 'a value is too long' } : mapped;
}

export function prepareParty(
  set: string,
  mapped: MappedParty,
  { layout, text }: StoredSource,
  place: number,
  registers: RegistersById,
  isPerson = mayBePerson(mapped),
): PreparedRow {
  const { company, key, role, roleText, kind, name, number, countryCode, interests, absence, from, until } = mapped;
  const link = mapped.link && checkLink(mapped.link, set, registers);
  const row = packRow({
    company: toStorable(company),
    role,
    partyRegister: link?.register ?? null,
    partyNumber: link && toStorable(link.number),
    isCurrent: mapped.current,
    isPerson,
    from,
    until,
    content: JSON.stringify({ roleText, kind, name, number, countryCode, interests, absence }),
    layout: layout?.id ?? null,
    sourceData: text,
  });
  return { id: digest(`${set}/${company}/${key}`), place, content: row, contentHash: digest(row) };
}

/** The number as the other register writes it. Null if the text cannot be a number of that register. */
function checkLink({ register: id, number }: Link, set: string, registers: RegistersById): Link | null {
  const register = registers.get(id);
  if (set.startsWith(`${id}/`) || register?.checkNumber === undefined)
    return { register: id, number: register?.writeNumber?.(number) ?? number };
  const checked = register.checkNumber(removeSeparators(number).toUpperCase());
  return checked === null || checked.valid === false ? null : { register: id, number: checked.number };
}
