/** An entity with an LEI. The paths are the same in all editions. */
import { composeAddress, ENGLISH_STYLE, EUROPEAN_STYLE } from '../address.ts';
import type { EntityStatus, MapContext } from '../contract.ts';
import { readCodeLists } from '../data-files.ts';
import { type Common, fieldsOf, findGravest, type State } from '../fields.ts';
import { manifests } from '../manifest.ts';
import { compact, parseDay, readText } from '../parsing.ts';
import { describeRecord, ownInference, spread } from '../record.ts';
import type { AddressOf, LegalFormOf, RegistryOf, TypedAddressOf } from '../vocabulary.ts';
import type { Entry } from './entry.ts';
import { type LegalForms, SCHEME } from './legal-forms.ts';

type Context = MapContext<LegalForms>;
type Names = NonNullable<RegistryOf['otherNames']>;

const lists = readCodeLists('gleif');
const STATUSES = lists.meanings<EntityStatus>('status');
const ENDINGS = lists.meanings<'ending' | 'merger'>('ending');
const PROCEDURES = lists.meanings<EntityStatus>('procedure');
const NAME_TYPES = lists.meanings<Names[number]['type'] & string>('name type');
const ADDRESS_STYLES = lists.meanings<'state' | 'english'>('address');

/** The codes of the authorities that use the numbers of each national register. */
export const authorities: ReadonlyMap<string, readonly string[]> = new Map(
  [...manifests].flatMap(([register, { country, lei }]) =>
    country === null ? [] : [[register, lei?.authorities ?? []]],
  ),
);
const REGISTERS = new Map([...authorities].flatMap(([register, codes]) => codes.map((code) => [code, register])));

const { text, day, first, group, each, lookup, status } = fieldsOf<Entry, LegalForms>(
  (path) => (entry) => entry.text(path),
);

const AUTHORITY = 'Entity.RegistrationAuthority';
const ISSUED = 'Registration.InitialRegistrationDate';
const EVENTS = 'Entity.LegalEntityEvents.LegalEntityEvent';
const OTHER_NAMES = 'Entity.OtherEntityNames.OtherEntityName';
const TRANSLITERATED_NAMES = 'Entity.TransliteratedOtherEntityNames.TransliteratedOtherEntityName';

const readEntityId = text(`${AUTHORITY}.RegistrationAuthorityEntityID`);
const findRegister = lookup(`${AUTHORITY}.RegistrationAuthorityID`, REGISTERS);
const nameAuthority = first(
  text(`${AUTHORITY}.OtherRegistrationAuthorityID`),
  text(`${AUTHORITY}.RegistrationAuthorityID`),
);
const readListed = status('Entity.EntityStatus', STATUSES);
const readExpiration = day('Entity.EntityExpirationDate');

const listSuccessors = (entry: Entry) => entry.list('Entity.SuccessorEntity', ['SuccessorLEI', 'SuccessorEntityName']);

/** An LEI is 18 letters or digits followed by two check digits (ISO 7064, mod 97-10). */
export function isValidLei(lei: string): boolean {
  return /^[0-9A-Z]{18}\d{2}$/.test(lei) && remainder(lei) === 1;
}

export function findCheckDigits(body: string): string {
  return String(98 - remainder(`${body}00`)).padStart(2, '0');
}

/** Letters count as 10 to 35. The remainder is taken at each step, because a double cannot hold the full number. */
function remainder(text: string): number {
  let rest = 0;
  for (const character of text) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest;
}

export const mapEntity = describeRecord<Entry, LegalForms>({
  name: text('Entity.LegalName'),
  country: readCountry,
  number: text('LEI'),
  registeredAt: day('Entity.EntityCreationDate'),
  status: readState,
  legalForm: readLegalForm,
  registrations: [
    (entry, context, { number }) => {
      if (number === null) return null;
      const status = readText(entry.text('Registration.RegistrationStatus'));
      const registeredAt = parseDay(ISSUED, entry.text(ISSUED), context);
      return {
        authority: 'GLEIF',
        type: 'lei',
        number,
        numberValid: isValidLei(number),
        status,
        registeredAt,
        endedAt: null,
      };
    },
    // The number in the national register, as GLEIF writes it.
    (...row) => {
      const number = readEntityId(...row);
      if (number === null) return null;
      const authority = nameAuthority(...row) ?? 'unknown';
      return { authority, type: 'national', number, status: null, registeredAt: row[2].registeredAt, endedAt: null };
    },
  ],
  // A link needs both the authority and the number, because different registers assign the same numbers.
  link(...row) {
    const register = findRegister(...row);
    const number = readEntityId(...row);
    return register === null || number === null ? null : { register, number };
  },
  registry: {
    status: group({ label: text('Entity.EntityStatus'), reason: text('Entity.EntityExpirationReason') }),
    foundedAt: day('Entity.EntityCreationDate'),
    statusInferredFrom: ownInference,
    endedAt: (_entry, _context, { state }) => state.details?.endedAt ?? null,
    previousNames: (entry) => entry.list(OTHER_NAMES, ['']).filter(isPrevious).map(readPreviousName),
    otherNames: listOtherNames,
    address: (entry) => readAddress(entry.at('Entity.LegalAddress')),
    addresses: (entry) => listAddresses(entry.at('Entity')),
    successors: each(listSuccessors, group({ number: text('SuccessorLEI'), name: text('SuccessorEntityName') })),
    events: spread((_entry, _context, { state }) => compact({ events: state.details?.events })),
    nameLanguage: text('Entity.LegalName.@xml:lang'),
    jurisdiction: text('Entity.LegalJurisdiction'),
    category: text('Entity.EntityCategory'),
    subCategory: text('Entity.EntitySubCategory'),
    otherLegalForm(entry, context) {
      const other = entry.text('Entity.LegalForm.OtherLegalForm');
      return other === findLegalForm(entry, context)?.label ? null : other;
    },
    registrationAuthority: group({
      id: text(`${AUTHORITY}.RegistrationAuthorityID`),
      other: text(`${AUTHORITY}.OtherRegistrationAuthorityID`),
      register: findRegister,
    }),
    lei: group({
      status: text('Registration.RegistrationStatus'),
      issuedAt: day(ISSUED),
      updatedAt: day('Registration.LastUpdateDate'),
      nextRenewal: day('Registration.NextRenewalDate'),
      managingLou: text('Registration.ManagingLOU'),
      validation: text('Registration.ValidationSources'),
      validationAuthority: group({
        id: text('Registration.ValidationAuthority.ValidationAuthorityID'),
        number: text('Registration.ValidationAuthority.ValidationAuthorityEntityID'),
      }),
    }),
  },
});

/** `US-DE` is Delaware in the United States. An entity without a jurisdiction gets the country of its legal address. */
function readCountry(entry: Entry, context: Context): string | null {
  const jurisdiction = entry.text('Entity.LegalJurisdiction');
  const found = /^([A-Z]{2})(?:-|$)/.exec(jurisdiction)?.[1];
  if (found !== undefined) return found;
  if (jurisdiction !== '') context.report('Entity.LegalJurisdiction', jurisdiction, 'not a country code');
  const address = entry.text('Entity.LegalAddress.Country');
  return /^[A-Z]{2}$/.test(address) ? address : null;
}

const CODE_PATH = 'Entity.LegalForm.EntityLegalFormCode';
/** The form is not on the list: `OtherLegalForm` has it in words. */
const NOT_LISTED = '8888';
/** The jurisdiction is not on the list, or the entity has no legal form. */
const NO_FORM = '9999';

function readLegalForm(entry: Entry, context: Context): LegalFormOf | null {
  const form = findLegalForm(entry, context);
  const isKnown = form === null || form.code === undefined || form.code === NOT_LISTED || form.code === NO_FORM;
  if (!isKnown && !context.codes.has(form.code ?? '')) context.reportUnknown('legalForm', CODE_PATH, form.code ?? '');
  return form;
}

function findLegalForm(entry: Entry, context: Context): LegalFormOf | null {
  const code = entry.text(CODE_PATH);
  const other = readText(entry.text('Entity.LegalForm.OtherLegalForm'));
  if (code === '') return other === null ? null : { label: other };
  if (code === NOT_LISTED || code === NO_FORM) return other === null ? null : { code, label: other, scheme: SCHEME };
  const form = context.codes.get(code);
  if (form !== undefined) return form;
  return other === null ? { code, scheme: SCHEME } : { code, label: other, scheme: SCHEME };
}

function isPrevious(name: Entry): boolean {
  return name.text('@type') === 'PREVIOUS_LEGAL_NAME';
}

function readPreviousName(name: Entry) {
  return { name: name.text(''), ...compact({ language: name.text('@xml:lang') }) };
}

function listOtherNames(entry: Entry): Names {
  const names = [...entry.list(OTHER_NAMES, ['']), ...entry.list(TRANSLITERATED_NAMES, [''])];
  return names
    .filter((name) => !isPrevious(name))
    .map((name) => {
      const sourceType = name.text('@type');
      const language = name.text('@xml:lang');
      return { name: name.text(''), type: NAME_TYPES.get(sourceType) ?? 'other', ...compact({ language, sourceType }) };
    });
}

/** An event that decides the status of the company. The status of its LEI (issued, lapsed, …) is separate: `registry.lei.status`. */
interface LegalEvent {
  readonly type: string;
  readonly status: string;
  readonly effectiveAt: string | null;
  readonly recordedAt: string | null;
}

/**
 * `ACTIVE` includes companies in liquidation and in insolvency procedures: only their legal events show this. `INACTIVE` means
 * that the company has ended or does not operate. The company has ended if its record states that it was dissolved or
 * that its liquidation or bankruptcy is completed, or if it merged and has a successor.
 */
function readState(entry: Entry, context: Context, common: Common): State {
  const events = listEvents(entry, context);
  const listed = readListed(entry, context, common)?.status;
  const expired = readExpiration(entry, context, common);
  const end = listed === 'inactive' ? findEnd(entry, events) : null;
  const procedure = listed === 'active' ? findProcedure(events) : undefined;
  const endedAt = expired ?? end?.endedAt ?? null;
  return {
    status: end === null ? (procedure?.status ?? listed ?? 'unknown') : 'dissolved',
    inferredFrom: end?.inferredFrom ?? procedure?.inferredFrom ?? null,
    details: compact({ endedAt, events: events.map((event) => compact({ ...event })) }),
  };
}

/** The most serious of several procedures counts. */
function findProcedure(events: readonly LegalEvent[]): State | undefined {
  const inProgress = events.filter((event) => event.status === 'IN_PROGRESS');
  return findGravest(
    inProgress.flatMap(({ type: inferredFrom }) => {
      const status = PROCEDURES.get(inferredFrom);
      return status === undefined ? [] : { status, inferredFrom };
    }),
  );
}

function findEnd(entry: Entry, events: readonly LegalEvent[]): { inferredFrom: string; endedAt: string | null } | null {
  const find = (kind: string) =>
    events.find(({ status, type }) => status === 'COMPLETED' && ENDINGS.get(type) === kind);
  const event = find('ending') ?? (listSuccessors(entry).length > 0 ? find('merger') : undefined);
  if (event !== undefined) return { inferredFrom: event.type, endedAt: event.effectiveAt };
  const isDissolved = entry.text('Entity.EntityExpirationReason') === 'DISSOLVED';
  return isDissolved ? { inferredFrom: 'EntityExpirationReason', endedAt: null } : null;
}

function listEvents(entry: Entry, context: Context): LegalEvent[] {
  return entry.list(EVENTS, ['LegalEntityEventType']).map((event) => {
    const readDay = (name: string) => parseDay(`${EVENTS}.${name}`, event.text(name), context);
    return {
      type: event.text('LegalEntityEventType'),
      status: event.text('@event_status'),
      effectiveAt: readDay('LegalEntityEventEffectiveDate'),
      recordedAt: readDay('LegalEntityEventRecordedDate'),
    };
  });
}

function readAddress(entry: Entry): AddressOf | null {
  const [country, region] = [entry.text('Country'), entry.text('Region')];
  const more = entry.list('AdditionalAddressLine', ['']).map((line) => line.text(''));
  const style = ADDRESS_STYLES.get(country);
  const written = composeAddress(
    {
      lines: [entry.text('FirstAddressLine'), ...more].filter((line) => line !== ''),
      city: entry.text('City'),
      postCode: entry.text('PostalCode'),
      region: style === 'state' ? region.replace(/^[A-Z]{2}-/, '') : null,
    },
    (parts) => (style === undefined ? EUROPEAN_STYLE : ENGLISH_STYLE)(parts, { country: nameCountry(country) }),
  );
  if (written === null) return null;
  return {
    ...written,
    // The address lines repeat the house number and the routing, so `text` already contains both.
    ...compact({
      careOf: entry.text('MailRouting').replace(/^c\/o\s+/i, ''),
      number: entry.text('AddressNumber'),
      unit: entry.text('AddressNumberWithinBuilding'),
      region,
      countryCode: /^[A-Z]{2}$/.test(country) ? country : '',
      language: entry.text('@xml:lang'),
    }),
  };
}

const OTHER_ADDRESSES = ['OtherAddresses.OtherAddress', 'TransliteratedOtherAddresses.TransliteratedOtherAddress'];

/** The headquarters, and both addresses in other languages and scripts. */
function listAddresses(entity: Entry): TypedAddressOf[] {
  const headquarters = readAddress(entity.at('HeadquartersAddress'));
  const others = OTHER_ADDRESSES.flatMap((path) => entity.list(path, ['FirstAddressLine', 'City']));
  return [
    ...(headquarters === null ? [] : [{ type: 'headquarters' as const, ...headquarters }]),
    ...others.flatMap((entry): TypedAddressOf[] => {
      const address = readAddress(entry);
      const sourceType = entry.text('@type');
      const type = sourceType.includes('HEADQUARTERS') ? 'headquarters' : 'other';
      return address === null ? [] : [{ type, ...address, ...compact({ sourceType }) }];
    }),
  ];
}

const countryNames = new Intl.DisplayNames(['en'], { type: 'region' });
const known = new Map<string, string>();

/** The files have only codes; an address that a person writes ends with the name of the country. */
function nameCountry(country: string): string {
  return known.getOrInsertComputed(country, (code) =>
    /^[A-Z]{2}$/.test(code) ? (countryNames.of(code) ?? code) : code,
  );
}
