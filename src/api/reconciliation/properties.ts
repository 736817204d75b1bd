import type { ExcerptValue } from '../../base/json/json-excerpt.ts';

export const COMPANY = { id: 'company', name: 'Company' } as const;

/** A value of a property in the form of the protocol. */
type PropertyValue = { readonly str: string } | { readonly date: string };

export type RecordValue = Readonly<Record<string, ExcerptValue>>;

interface Property {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** Where the values are in a record. A list on the path stands for each of its items. */
  readonly path: readonly string[];
  /** Whether a query can give the property beside a name. */
  readonly isEvidence: boolean;
}

const evidence = (id: string, name: string, description: string, path = id): Property => ({
  ...{ id, name, description, path: path.split('.'), isEvidence: true },
});
const column = (id: string, name: string, description: string, path = id): Property => ({
  ...evidence(id, name, description, path),
  isEvidence: false,
});

/** The properties that a query can give beside a name, and that can be added to companies as columns, in the order of OpenRefine's dialogs. */
export const properties: readonly Property[] = [
  evidence('registrationNumber', 'Registration number', 'Number in the register; in a query also a VAT number or LEI'),
  evidence('country', 'Country', 'Two-letter code; in a query also the name of the country', 'countryCode'),
  evidence('status', 'Status', 'active, inactive, in_liquidation, insolvent, dissolved, delisted or unknown'),
  evidence('legalForm', 'Legal form', 'National legal form'),
  evidence('city', 'City', 'City of the registered address'),
  evidence('postcode', 'Postcode', 'Post code of the registered address', 'registry.address.postCode'),
  column('address', 'Address', 'Registered address in one line', 'registry.address.text'),
  evidence('registeredAt', 'Registered since', 'First day of the registration; in a query also a month or a year'),
  column('canonicalName', 'Registered name', 'Name of the company in the register'),
  column('previousNames', 'Former names', 'The latest first', 'registry.previousNames.name'),
  column('activities', 'Activities', 'In the words of the register', 'registry.activities.label'),
  column('activityCodes', 'Activity codes', 'In the classification of the register', 'registry.activities.code'),
  column('vatNumber', 'VAT number', 'With or without the prefix of the country, as published', 'vat'),
  column('lei', 'LEI', 'Legal Entity Identifier'),
  column('websites', 'Websites', 'As published by the register', 'registry.contacts.websites'),
  column('register', 'Register', 'Identifier of the register that the record comes from'),
  column('asOf', 'Data as of', 'Publisher’s date of the data', 'provenance.asOf'),
];

export function findProperty(id: string): Property | undefined {
  return properties.find((each) => each.id === id);
}

export function suggestProperties(prefix: string): Pick<Property, 'id' | 'name' | 'description'>[] {
  const wanted = prefix.trim().toLowerCase();
  return properties
    .filter(({ id, name }) => `${id} ${name}`.toLowerCase().includes(wanted))
    .map(({ id, name, description }) => ({ id, name, description }));
}

export function readValues({ path }: Property, record: RecordValue): PropertyValue[] {
  const [name] = path;
  // Numbers of one type: those in this record and those in its records in other registers.
  if (name === 'vat' || name === 'lei') {
    const all = Array.isArray(record.registrations) ? record.registrations : [];
    return texts(
      all.filter((each) => texts(each, ['type'])[0] === name),
      ['number'],
    ).map((str) => ({ str }));
  }
  const isDate = (text: string) => name === 'registeredAt' && /^\d{4}-\d\d-\d\d$/.test(text);
  // The protocol wants a date with a time.
  return texts(record, path).map((text) => (isDate(text) ? { date: `${text}T00:00:00Z` } : { str: text }));
}

function texts(value: ExcerptValue | undefined, path: readonly string[]): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => texts(item, path));
  const [name, ...rest] = path;
  if (name === undefined) return typeof value === 'string' ? [value] : [];
  return typeof value === 'object' && value !== null ? texts((value as RecordValue)[name], rest) : [];
}
