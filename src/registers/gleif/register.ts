/** GLEIF: entities with an LEI in all countries. Each record has the country of its legal jurisdiction. */
import { composeAddress, ENGLISH_STYLE, EUROPEAN_STYLE } from '../address.ts';
import { defineRegister, type EntityStatus, type MapContext } from '../contract.ts';
import { readCodeLists } from '../data-files.ts';
import { type Common, findGravest, itemFields, type State, treeFields } from '../fields.ts';
import { manifests } from '../manifest.ts';
import { compact, type Tree, textOf, treeOf } from '../parsing.ts';
import { describeRecord, ownInference, spread } from '../record.ts';
import type { AddressOf, LegalFormOf, NameType } from '../vocabulary.ts';
import { listElements, mapEditions, ownText } from './entry.ts';
import { type LegalForms, readLegalForms, SCHEME } from './legal-forms.ts';
import { LEVEL2_TABLES, LEVEL2_TREES } from './level2.ts';

type Context = MapContext<LegalForms>;

const lists = readCodeLists('gleif');

/** The codes of the authorities that use the numbers of each national register. */
export const authorities: ReadonlyMap<string, readonly string[]> = new Map(
  [...manifests].flatMap(([register, { country, lei }]) =>
    country === null ? [] : [[register, lei?.authorities ?? []]],
  ),
);
const REGISTERS = new Map([...authorities].flatMap(([register, codes]) => codes.map((code) => [code, register])));

const { text, day, first, group, groupWith, each, joinLists, further, typed, lookup, status, at } =
  treeFields<LegalForms>();

const AUTHORITY = 'Entity.RegistrationAuthority';
const ISSUED = 'Registration.InitialRegistrationDate';

const readEntityId = text(`${AUTHORITY}.RegistrationAuthorityEntityID`);
const findRegister = lookup(`${AUTHORITY}.RegistrationAuthorityID`, REGISTERS);
const nameAuthority = first(
  text(`${AUTHORITY}.OtherRegistrationAuthorityID`),
  text(`${AUTHORITY}.RegistrationAuthorityID`),
);
const readListed = status('Entity.EntityStatus', lists.meanings<EntityStatus>('status'));
const readExpiration = day('Entity.EntityExpirationDate');
const [readLeiStatus, readIssued] = [text('Registration.RegistrationStatus'), day(ISSUED)];
const readOtherForm = text('Entity.LegalForm.OtherLegalForm');

const listSuccessors = listElements('Entity.SuccessorEntity', 'SuccessorLEI', 'SuccessorEntityName');
const listOwnNames = listElements('Entity.OtherEntityNames.OtherEntityName');
const listTransliterated = listElements('Entity.TransliteratedOtherEntityNames.TransliteratedOtherEntityName');
const isPrevious = (name: Tree) => textOf(name, '@type') === 'PREVIOUS_LEGAL_NAME';

/** An LEI is 18 letters or digits followed by two check digits (ISO 7064, mod 97-10). */
function isValidLei(lei: string): boolean {
  return /^[0-9A-Z]{18}\d{2}$/.test(lei) && remainder(lei) === 1;
}

export function findCheckDigits(body: string): string {
  return String(98 - remainder(`${body}00`)).padStart(2, '0');
}

/** Letters count as 10 to 35. The remainder is taken at each step, because a double cannot hold the full number. */
function remainder(text: string): number {
  let rest = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const value = code < CAPITAL_A ? code - 48 : code - CAPITAL_A + 10;
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest;
}

const CAPITAL_A = 65;

const mapEntity = describeRecord<Tree, LegalForms>({
  name: text('Entity.LegalName'),
  country: readCountry,
  number: text('LEI'),
  registeredAt: day('Entity.EntityCreationDate'),
  status: readState,
  legalForm: readLegalForm,
  registrations: [
    (...row) => {
      const { number } = row[2];
      if (number === null) return null;
      const own = { authority: 'GLEIF', type: 'lei', number, numberValid: isValidLei(number) } as const;
      return { ...own, status: readLeiStatus(...row), registeredAt: readIssued(...row), endedAt: null };
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
    const [register, number] = [findRegister(...row), readEntityId(...row)];
    return register === null || number === null ? null : { register, number };
  },
  registry: {
    status: group({ label: text('Entity.EntityStatus'), reason: text('Entity.EntityExpirationReason') }),
    foundedAt: day('Entity.EntityCreationDate'),
    statusInferredFrom: ownInference,
    endedAt: (_record, _context, { state }) => state.details?.endedAt ?? null,
    previousNames: each(
      (record) => listOwnNames(record).filter(isPrevious),
      groupWith(['name'], { name: ownText, language: text('@xml:lang') }),
    ),
    otherNames: each(
      (record) => [...listOwnNames(record), ...listTransliterated(record)].filter((name) => !isPrevious(name)),
      groupWith(['name', 'type'], {
        name: ownText,
        type: (name): NameType => lists.meanings<NameType>('name type').get(textOf(name, '@type')) ?? 'other',
        language: text('@xml:lang'),
        sourceType: text('@type'),
      }),
    ),
    address: at('Entity.LegalAddress', readAddress),
    addresses: at('Entity', (...row) => readAddresses(...row)),
    successors: each(listSuccessors, group({ number: text('SuccessorLEI'), name: text('SuccessorEntityName') })),
    events: spread((_record, _context, { state }) => compact({ events: state.details?.events })),
    nameLanguage: text('Entity.LegalName.@xml:lang'),
    jurisdiction: text('Entity.LegalJurisdiction'),
    category: text('Entity.EntityCategory'),
    subCategory: text('Entity.EntitySubCategory'),
    otherLegalForm(...row) {
      const other = readOtherForm(...row);
      return other === findLegalForm(...row)?.label ? null : other;
    },
    registrationAuthority: group({
      id: text(`${AUTHORITY}.RegistrationAuthorityID`),
      other: text(`${AUTHORITY}.OtherRegistrationAuthorityID`),
      register: findRegister,
    }),
    lei: group({
      status: readLeiStatus,
      issuedAt: readIssued,
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
function readCountry(record: Tree, context: Context): string | null {
  const entity = treeOf(record, 'Entity');
  const jurisdiction = textOf(entity, 'LegalJurisdiction');
  const found = /^([A-Z]{2})(?:-|$)/.exec(jurisdiction)?.[1];
  if (found !== undefined) return found;
  if (jurisdiction !== '') context.report('Entity.LegalJurisdiction', jurisdiction, 'not a country code');
  return /^[A-Z]{2}$/.exec(textOf(treeOf(entity, 'LegalAddress'), 'Country'))?.[0] ?? null;
}

const CODE = 'Entity.LegalForm.EntityLegalFormCode';
const readFormCode = text(CODE);
/** The form is not on the list, and `OtherLegalForm` has it in words; the jurisdiction is not on the list, or the entity has no legal form. */
const NOT_LISTED: ReadonlySet<string> = new Set(['8888', '9999']);

function readLegalForm(...row: Parameters<typeof readFormCode>): LegalFormOf | null {
  const [form, { codes, reportUnknown }] = [findLegalForm(...row), row[1]];
  const isUnknown = form?.code !== undefined && !NOT_LISTED.has(form.code) && !codes.has(form.code);
  if (isUnknown && form.code !== undefined) reportUnknown('legalForm', CODE, form.code);
  return form;
}

function findLegalForm(...row: Parameters<typeof readFormCode>): LegalFormOf | null {
  const [code, label] = [readFormCode(...row), readOtherForm(...row)];
  if (code === null) return label === null ? null : { label };
  const isListed = !NOT_LISTED.has(code);
  const known = isListed ? row[1].codes.get(code) : undefined;
  if (known !== undefined) return known;
  if (label === null) return isListed ? { code, scheme: SCHEME } : null;
  return { code, label, scheme: SCHEME };
}

const EVENTS = 'Entity.LegalEntityEvents.LegalEntityEvent';
const event = itemFields<LegalForms>();
/** The events decide the status of the company. The status of its LEI (issued, lapsed, …) is separate: `registry.lei.status`. */
const readEvents = event.each(
  listElements(EVENTS, 'LegalEntityEventType'),
  event.group({
    type: event.text(`${EVENTS}.LegalEntityEventType`),
    status: event.text(`${EVENTS}.@event_status`),
    effectiveAt: event.day(`${EVENTS}.LegalEntityEventEffectiveDate`),
    recordedAt: event.day(`${EVENTS}.LegalEntityEventRecordedDate`),
  }),
);
type Events = NonNullable<ReturnType<typeof readEvents>>;

/**
 * `ACTIVE` includes companies in liquidation and in insolvency procedures: only their legal events show this. `INACTIVE` means
 * that the company has ended or does not operate. The company has ended if its record states that it was dissolved or
 * that its liquidation or bankruptcy is completed, or if it merged and has a successor.
 */
function readState(record: Tree, context: Context, common: Common): State {
  const events = readEvents(record, context, common) ?? [];
  const listed = readListed(record, context, common)?.status;
  const expired = readExpiration(record, context, common);
  const end = listed === 'inactive' ? findEnd(record, events) : null;
  const procedure = listed === 'active' ? findProcedure(events) : undefined;
  return {
    status: end === null ? (procedure?.status ?? listed ?? 'unknown') : 'dissolved',
    inferredFrom: end?.inferredFrom ?? procedure?.inferredFrom ?? null,
    details: compact({ endedAt: expired ?? end?.endedAt ?? null, events }),
  };
}

/** The most serious of several procedures counts. */
function findProcedure(events: Events): State | undefined {
  return findGravest(
    events.flatMap(({ type: inferredFrom = '', status: progress }) => {
      const status = lists.meanings<EntityStatus>('procedure').get(inferredFrom);
      return status === undefined || progress !== 'IN_PROGRESS' ? [] : { status, inferredFrom };
    }),
  );
}

function findEnd(record: Tree, events: Events) {
  const find = (kind: string) =>
    events.find(
      ({ status, type = '' }) =>
        status === 'COMPLETED' && lists.meanings<'ending' | 'merger'>('ending').get(type) === kind,
    );
  const found = find('ending') ?? (listSuccessors(record).length > 0 ? find('merger') : undefined);
  if (found !== undefined) return { inferredFrom: found.type, endedAt: found.effectiveAt ?? null };
  const isDissolved = textOf(treeOf(record, 'Entity'), 'EntityExpirationReason') === 'DISSOLVED';
  return isDissolved ? { inferredFrom: 'EntityExpirationReason', endedAt: null } : null;
}

const listLines = listElements('AdditionalAddressLine');

function readAddress(place: Tree): AddressOf | null {
  const [country, region] = [textOf(place, 'Country'), textOf(place, 'Region')];
  const style = lists.meanings<'state' | 'english'>('address').get(country);
  const written = composeAddress(
    {
      lines: [textOf(place, 'FirstAddressLine'), ...listLines(place).map(ownText)].filter((line) => line !== ''),
      city: textOf(place, 'City'),
      postCode: textOf(place, 'PostalCode'),
      region: style === 'state' ? region.replace(/^[A-Z]{2}-/, '') : null,
    },
    (parts) => (style === undefined ? EUROPEAN_STYLE : ENGLISH_STYLE)(parts, { country: nameCountry(country) }),
  );
  if (written === null) return null;
  // The address lines repeat the house number and the routing, so `text` already contains both.
  const details = compact({
    careOf: textOf(place, 'MailRouting').replace(/^c\/o\s+/i, ''),
    number: textOf(place, 'AddressNumber'),
    unit: textOf(place, 'AddressNumberWithinBuilding'),
    region,
    countryCode: /^[A-Z]{2}$/.test(country) ? country : '',
    language: textOf(place, '@xml:lang'),
  });
  return Object.assign(written, details);
}

const listOthers = ['OtherAddresses.OtherAddress', 'TransliteratedOtherAddresses.TransliteratedOtherAddress'].map(
  (path) => listElements(path, 'FirstAddressLine', 'City'),
);
const isSeat = (place: Tree) => textOf(place, '@type').includes('HEADQUARTERS');

/** The headquarters, and both addresses in other languages and scripts. */
const readAddresses = joinLists(
  further('headquarters', at('HeadquartersAddress', readAddress)),
  each(
    (entity) => listOthers.flatMap((list) => list(entity)),
    typed((place) => (isSeat(place) ? 'headquarters' : 'other'), readAddress, group({ sourceType: text('@type') })),
  ),
);

const countryNames = new Intl.DisplayNames(['en'], { type: 'region' });
const known = new Map<string, string>();

/** The files have only codes; an address that a person writes ends with the name of the country. */
function nameCountry(country: string): string {
  return known.getOrInsertComputed(country, (code) =>
    /^[A-Z]{2}$/.test(code) ? (countryNames.of(code) ?? code) : code,
  );
}

const editions = mapEditions('golden copy (CSV)', mapEntity);

export const gleif = defineRegister<LegalForms>({
  id: 'gleif',
  tables: { 'golden copy (CSV)': { map: editions.csv }, ...LEVEL2_TABLES },
  trees: {
    'LEI-CDF (XML)': { map: editions.xml('lei:') },
    'LEI-CDF (XML, no prefix)': { map: mapEntity },
    'golden copy (JSON)': { map: mapEntity },
    ...LEVEL2_TREES,
  },
  numbers: [{ kind: 'LEI', form: /^[0-9A-Z]{18}\d{2}$/, check: isValidLei }],
  readCodes: (tables) => readLegalForms(tables.get('ELF codes') ?? []),
});
