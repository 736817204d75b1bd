import type { ExcerptValue } from '../../base/json/json-excerpt.ts';

export const COMPANY = { id: 'company', name: 'Company' } as const;

/** A value of a property in the form of the protocol. The protocol has no form for booleans. */
export type PropertyValue = { readonly str: string } | { readonly date: string };

/** A record in the form that `Registry.findExcerpt` returns. */
export type RecordValue = Readonly<Record<string, ExcerptValue>>;

interface Property {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly isEvidence: boolean;
  readValues(record: RecordValue): readonly PropertyValue[];
}

/** The properties that a query can give beside a name, and that can be added to companies as columns, in the order of OpenRefine's dialogs. */
export const properties: readonly Property[] = [
  evidence('registrationNumber', 'Registration number', 'Number in the register; in a query also a VAT number or LEI'),
  evidence('country', 'Country', 'Two-letter code; in a query also the name of the country', 'countryCode'),
  evidence('status', 'Status', 'active, inactive, in_liquidation, insolvent, dissolved, delisted or unknown'),
  evidence('legalForm', 'Legal form', 'National legal form'),
  evidence('city', 'City', 'City of the registered address'),
  listed('postcode', 'Postcode', 'Post code of the registered address', ['registry', 'address', 'postCode'], true),
  listed('address', 'Address', 'Registered address in one line', ['registry', 'address', 'text']),
  {
    ...evidence('registeredAt', 'Registered since', 'First day of the registration; in a query also a month or a year'),
    readValues: ({ registeredAt }) => texts(registeredAt).map(toDate),
  },
  summary('canonicalName', 'Registered name', 'Name of the company in the register'),
  listed('previousNames', 'Former names', 'The latest first', ['registry', 'previousNames', 'name']),
  listed('activities', 'Activities', 'In the words of the register', ['registry', 'activities', 'label']),
  listed('activityCodes', 'Activity codes', 'In the classification of the register', [
    'registry',
    'activities',
    'code',
  ]),
  registration('vat', 'VAT number', 'With or without the prefix of the country, as published'),
  registration('lei', 'LEI', 'Legal Entity Identifier'),
  listed('websites', 'Websites', 'As published by the register', ['registry', 'contacts', 'websites']),
  summary('register', 'Register', 'Identifier of the register that the record comes from'),
  listed('asOf', 'Data as of', 'Publisher’s date of the data', ['provenance', 'asOf']),
];

export function findProperty(id: string): Property | undefined {
  return properties.find((each) => each.id === id);
}

export function suggestProperties(prefix: string): Omit<Property, 'readValues' | 'isEvidence'>[] {
  const wanted = prefix.trim().toLowerCase();
  return properties
    .filter(({ id, name }) => `${id} ${name}`.toLowerCase().includes(wanted))
    .map(({ id, name, description }) => ({ id, name, description }));
}

function summary(id: string, name: string, description: string, field = id): Property {
  return { id, name, description, isEvidence: false, readValues: (record) => texts(record[field]).map(toText) };
}

function evidence(id: string, name: string, description: string, field = id): Property {
  return { ...summary(id, name, description, field), isEvidence: true };
}

function listed(id: string, name: string, description: string, path: readonly string[], isEvidence = false): Property {
  return { id, name, description, isEvidence, readValues: (record) => texts(record, path).map(toText) };
}

/** The company's numbers of one type: those in this record and those in its records in other registers. */
function registration(type: string, name: string, description: string): Property {
  const readValues = ({ registrations }: RecordValue) => {
    const ofType = Array.isArray(registrations)
      ? registrations.filter((each) => texts(each, ['type'])[0] === type)
      : [];
    return texts(ofType, ['number']).map(toText);
  };
  return { id: type === 'vat' ? 'vatNumber' : type, name, description, isEvidence: false, readValues };
}

/** Returns all texts at a path. A list on the path stands for each of its items. */
function texts(value: ExcerptValue | undefined, path: readonly string[] = []): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => texts(item, path));
  const [name, ...rest] = path;
  if (name === undefined) return typeof value === 'string' ? [value] : [];
  return typeof value === 'object' && value !== null ? texts((value as RecordValue)[name], rest) : [];
}

const toText = (str: string): PropertyValue => ({ str });

/** The protocol wants a date with a time. */
function toDate(text: string): PropertyValue {
  return /^\d{4}-\d\d-\d\d$/.test(text) ? { date: `${text}T00:00:00Z` } : { str: text };
}
