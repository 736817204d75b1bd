/**
 * The fields of `registry` that have one name and one shape in all registers. Everything else in `registry` is national:
 * each register names it in English and documents it on its page. These schemas are the types of the adapters, the
 * description of `registry` in the contract, and the source of `docs/registers/fields.md`.
 *
 * No field is ever empty: what the source does not have is left out. Every object may hold further, national fields.
 */
import Type, { type Static, type TOptional, type TProperties, type TSchema } from 'typebox';
import type { Json } from '../base/source-files.ts';

/** The values that fields of the vocabulary can take, each with its meaning. New values may be added, but none may be removed. */

export const activityTypes = {
  unlicensed: 'needs no licence, or the register does not say',
  licensed: 'needs a licence',
} as const;

export const addressTypes = {
  postal: 'mail',
  headquarters: 'place of management',
  establishment: 'place of business',
  branch: 'branch of a foreign company',
  foreign: 'address of a foreign company in its home country',
  former: 'no longer in use',
  other: 'any other',
} as const;

export const nameTypes = {
  trading: 'brand or trade name',
  short: 'abbreviation or short name',
  translation: 'in another language',
  transliteration: 'in another script',
  branch: 'of a branch',
  other: 'any other',
} as const;

const elfSources = { register: 'from the national legal form', lei: 'from the LEI record' } as const;

const elfTrusts = {
  exact: 'the list has the same name or abbreviation, or the LEI record has the code',
  checked: 'found by meaning and confirmed by LEI records of the same companies',
} as const;

export const partyKinds = { person: 'a natural person', organisation: 'anything else' } as const;

export const partyRoles = {
  director: 'manages the company: director, board member, manager, administrator',
  representative: 'may sign for the company',
  founder: 'founded it',
  shareholder: 'owns shares',
  partner: 'partner of a partnership, or member of a company without shares',
  beneficial_owner: 'ultimately owns or controls it',
  controller: 'a company or body that owns or controls it',
  liquidator: 'winds it up',
  insolvency_administrator: 'administers it in an insolvency procedure',
  auditor: 'audits it',
  parent: 'parent company of its group',
  ultimate_parent: 'company at the top of its group',
  head_office: 'company whose branch it is',
  fund_manager: 'manages the fund',
  umbrella_fund: 'fund that it is a part of',
  master_fund: 'fund that it invests in',
  member: 'belongs to it: association, cooperative',
  other: 'any other; `roleLabel` says which',
} as const;

/** The kinds in files of parties, in which every party has a kind. */
export const listedPartyKinds = { ...partyKinds, unknown: 'the source does not say' } as const;

/** What a party holds. */
export const interestTypes = {
  consolidation: 'includes the company in its consolidated accounts: control, or more than half of it',
  shares: 'shares or capital',
  votes: 'voting rights',
  board: 'right to appoint or remove directors or members',
  surplus_assets: 'share of what is left when it is wound up',
  influence: 'significant influence or control in another way',
  nominee: 'it holds property as a nominee for the party',
  other: 'any other',
} as const;

/** How a party holds something that it does not hold in its own right. */
export const heldAsTexts = {
  firm_member: 'as a member of a firm',
  firm_control: 'through influence over a firm',
  trustee: 'as a trustee of a trust',
  trust_control: 'through influence over a trust or its trustees',
  other_entity: 'through another entity that it owns',
} as const;

/** Why a source names no party where one could be. */
export const absenceReasons = {
  no_parent: 'nobody controls or consolidates the company',
  persons: 'natural persons control it, who are not named',
  no_number: 'the party has no number in this register',
  not_disclosed: 'the company does not disclose it',
  not_identified: 'the company has not identified the party, or not confirmed its details',
  no_answer: 'the party was asked and has not answered',
  exempt: 'the company need not say it, for example because its shares are traded on a market',
  protected: 'the party is protected: the register publishes nothing about it',
  statement: 'no owner is missing from the list; `text` is a statement of the company about the owners that it has',
} as const;

/** The values of `registrations[].type`. The number in the record's own register always comes first. */
export const registrationTypes = {
  national: 'number in the national company register',
  tax: 'tax number',
  vat: 'VAT number',
  lei: 'Legal Entity Identifier (ISO 17442)',
  euid: 'European Unique Identifier',
  statistical: 'number of a statistical office',
  state: 'number given by a state or province of the country',
  branch: 'number of an establishment',
  association: 'number in a register of associations',
  foreign: 'number in the register of another country',
  other: 'any other number',
} as const;

const text = (description: string) => Type.String({ description });
const date = (description: string) => Type.String({ format: 'date', description });
const texts = (description: string) => Type.Array(Type.String(), { description });
const oneOf = <const Values extends Readonly<Record<string, string>>>(description: string, values: Values) =>
  Type.Enum(Object.keys(values) as (keyof Values & string)[], { description: `${description} ${listValues(values)}` });

function listValues(values: Readonly<Record<string, string>>): string {
  const items = Object.entries(values).map(([value, meaning]) => `\`${value}\` (${meaning})`);
  return `One of ${items.join(', ')}.`;
}

function shape<Optional extends TProperties, Required extends TProperties = Record<never, never>>(
  description: string,
  optional: Optional,
  required = {} as Required,
) {
  return Type.Object({ ...required, ...makeOptional(optional) }, { additionalProperties: true, description });
}

function makeOptional<Fields extends TProperties>(fields: Fields): { [Name in keyof Fields]: TOptional<Fields[Name]> } {
  const optional = Object.entries(fields).map(([name, schema]) => [name, Type.Optional(schema as TSchema)]);
  return Object.fromEntries(optional);
}

const addressFields = {
  lines: texts('The lines of the address as the source writes them, if it has lines instead of parts.'),
  careOf: text('Person or company that receives the mail.'),
  poBox: text('Post office box.'),
  building: text('Name or number of a building, block or estate.'),
  street: text('Street without the house number, if the source separates the two.'),
  number: text('House number.'),
  unit: text('Apartment, office, floor or other part of a building.'),
  district: text('Part of a city or of a municipality, such as a parish.'),
  postCode: text('Post code.'),
  city: text('City, town or village.'),
  municipality: text('Municipality or administrative district that the city, town or village belongs to.'),
  region: text('County, province, state or another area above the city.'),
  country: text('Country in the words of the source.'),
  countryCode: Type.String({ pattern: '^[A-Z]{2}$', description: 'Two-letter country code (ISO 3166-1 alpha-2).' }),
};
const addressText = text('The complete address in one line, as a person would write it.');

const describeAddress = (description: string) => shape(description, addressFields, { text: addressText });

const Address = describeAddress('The registered address.');
const TypedAddress = shape(
  'Another address.',
  { ...addressFields, from: date('First day.'), until: date('Last day.') },
  { type: oneOf('What the address is for.', addressTypes), text: addressText },
);

const classified = (description: string, of: string) =>
  Type.Object(
    {
      section: text('Section, a letter.'),
      division: Type.Optional(text('Division.')),
      group: Type.Optional(text('Group.')),
      class: Type.Optional(text('Class.')),
      label: text('English title of the deepest code.'),
      level: oneOf('The level of the deepest code.', {
        section: 'a letter',
        division: 'two digits',
        group: 'three digits',
        class: 'four digits',
      }),
      edition: text(`Edition of ${of}.`),
    },
    { description },
  );

const Activity = shape(
  'An activity. The search parameter `activity` finds its code and its label.',
  {
    code: text('Code in the classification.'),
    label: text('Name of the activity in the words of the source.'),
    scheme: text('Classification, such as `UK SIC` or `NACE-BEL`.'),
    edition: text('Edition of the classification, such as `2007`.'),
    main: Type.Boolean({ description: 'Whether the source calls it the main activity.' }),
    isic: classified(
      'Code of ISIC Rev. 4, as deep as official tables are exact. The search parameter `isic` finds it.',
      'ISIC',
    ),
    isicNote: text('Why there is no `isic`, such as a code that means that the company is dormant.'),
    nace: classified('Code of NACE, if the classification is a national version of it.', 'NACE: `2` or `2.1`'),
  },
  { type: oneOf('The collection it belongs to, as in the search parameter `activityType`.', activityTypes) },
);

const describeElf = (description: string) =>
  shape(description, {
    code: text('Code in the list.'),
    name: text('Name of the form in its country.'),
    source: oneOf('Where it comes from.', elfSources),
    trust: oneOf('How it was found.', elfTrusts),
  });

const LegalForm = shape('National legal form. It has a code, a label or both.', {
  code: text('Code of the source.'),
  label: text('Name of the form, as users of the register know it.'),
  labels: Type.Record(Type.String(), Type.String(), { description: 'The label by language (ISO 639-1).' }),
  scheme: text('Code list that the code belongs to.'),
  elf: describeElf('The form in the list of entity legal forms (ELF, ISO 20275), if its code there is certain.'),
  leiElf: describeElf('The form that the LEI record of the same company has, if it is another one.'),
});

const Status = shape('The status in the words of the source.', {
  code: text('Code of the source.'),
  label: text('Text of the source.'),
  since: date('First day of this status.'),
  reason: text('Reason for the status.'),
  reasonCode: text('Code of the reason.'),
});

const PreviousName = shape(
  'A former name.',
  { from: date('First day.'), until: date('Last day.') },
  { name: text('The name.') },
);

const OtherName = shape(
  'A further name that is in use.',
  { type: oneOf('What kind of name it is.', nameTypes), language: text('Language of the name (ISO 639-1).') },
  { name: text('The name.') },
);

const Capital = shape('Capital of the company.', {
  amount: Type.Number({ description: 'Amount in units of the currency.' }),
  currency: Type.String({ pattern: '^[A-Z]{3}$', description: 'Currency code (ISO 4217).' }),
});

const Employees = shape('Number of employees: an exact count, or a range.', {
  count: Type.Integer({ minimum: 0, description: 'Exact number.' }),
  from: Type.Integer({ minimum: 0, description: 'Smallest number of the range.' }),
  to: Type.Integer({ minimum: 0, description: 'Largest number of the range. Missing if the range is open.' }),
  code: text('Code of the range in the source.'),
});

const Contacts = shape('How to reach the company.', {
  websites: texts('Websites.'),
  emails: texts('Email addresses.'),
  phones: texts('Phone numbers.'),
  faxes: texts('Fax numbers.'),
});

const Party = shape(
  'A person or organisation connected with the company.',
  {
    roleLabel: text('Role in the words of the source.'),
    kind: oneOf('Kind of party. Left out if the source does not say.', partyKinds),
    number: text('Number of the party, if it is an organisation.'),
    share: Type.Number({ description: 'Share of the capital or of the votes, in percent.' }),
    from: date('First day in the role.'),
    until: date('Last day in the role.'),
    country: text('Country in the words of the source.'),
    countryCode: addressFields.countryCode,
  },
  { role: oneOf('Normalized role.', partyRoles), name: text('Name as published.') },
);

const Establishment = shape('A branch or place of business.', {
  number: text('Its number.'),
  name: text('Its name.'),
  address: describeAddress('Its address.'),
  from: date('First day.'),
  until: date('Last day.'),
});

const OtherCompany = shape('Another company.', { name: text('Its name.'), number: text('Its number.') });

const describeCode = (description: string) =>
  shape(description, { code: text('Code of the source.'), label: text('Text of the code.') });

/** The fields that the pipeline writes from `MappedRecord`, so that what can be filtered is always visible. */
const derivedFields = {
  legalForm: LegalForm,
  activities: Type.Array(Activity, { description: 'Every activity that the search parameter `activity` finds.' }),
};

/** The fields that the adapters write. */
const adapterFields = {
  address: Address,
  addresses: Type.Array(TypedAddress, { description: 'Further addresses.' }),
  status: Status,
  statusInferredFrom: text(
    'What the status was inferred from, such as a column or a role, if the source does not state it.',
  ),
  jurisdiction: text(
    'Under whose law the company was formed: a state or province (ISO 3166-2, `US-NY`) or a country (ISO 3166-1 alpha-2). The search ' +
      'parameter `jurisdiction` finds it.',
  ),
  foundedAt: date('Day on which the company was founded.'),
  endedAt: date('Day on which the company ceased to exist.'),
  previousNames: Type.Array(PreviousName, {
    description: 'Former names, the latest first if the source has an order.',
  }),
  otherNames: Type.Array(OtherName, { description: 'Further names.' }),
  nameMissing: Type.Literal(true, { description: 'The source has no name; `canonicalName` is the number.' }),
  capital: Capital,
  employees: Employees,
  contacts: Contacts,
  parties: Type.Array(Party, { description: 'Directors, owners and others that the register publishes.' }),
  establishments: Type.Array(Establishment, { description: 'Branches and places of business.' }),
  predecessors: Type.Array(OtherCompany, { description: 'Companies that this one continues.' }),
  successors: Type.Array(OtherCompany, { description: 'Companies that continue this one.' }),
  purpose: text('Purpose of the company in its own words.'),
  sector: describeCode('Institutional sector of the company.'),
  size: describeCode('Size class of the company.'),
};

const adapterShape = shape('Fields that an adapter fills.', adapterFields);
export const REGISTRY_DESCRIPTION =
  'Fields that mean the same in every register, and national fields that the page of the register documents.';
export const RegistryFields = shape(REGISTRY_DESCRIPTION, { ...derivedFields, ...adapterFields });

type National = { readonly [name: string]: Json };
type ReadonlyFields<T> = { readonly [Name in keyof T]: ReadonlyDeep<T[Name]> };
type ReadonlyDeep<T> = T extends readonly (infer Item)[]
  ? readonly ReadonlyDeep<Item>[]
  : T extends object
    ? ReadonlyFields<T> & National
    : T;
/** Every object in `registry` may have national fields. */
type Filled<Schema extends TSchema> = ReadonlyDeep<Static<Schema>>;

/** What an adapter returns as `registry`: common fields in their shape, and any national ones. */
export type RegistryOf = Filled<typeof adapterShape>;
export type AddressOf = Filled<typeof Address>;
/** The common fields alone: national ones are in `Activity.national`. */
export type ActivityOf = ReadonlyFields<Static<typeof Activity>>;
export type LegalFormOf = Filled<typeof LegalForm>;
export type TypedAddressOf = Filled<typeof TypedAddress>;
export type ContactKind = 'emails' | 'phones' | 'websites' | 'faxes' | 'other';
export type NameType = keyof typeof nameTypes;
export type PartyOf = Filled<typeof Party>;
