/** The fields of `registry` that are objects or lists. */
import type { MapContext } from '../contract.ts';
import { compact } from '../parsing.ts';
import { findRegister } from './authorities.ts';
import { type Entry, readDayAt } from './entry.ts';

type Context = MapContext<unknown>;

export const AUTHORITY_PATH = 'Entity.RegistrationAuthority';

export function readAuthority(entry: Entry) {
  const id = entry.text(`${AUTHORITY_PATH}.RegistrationAuthorityID`);
  return compact({
    id,
    other: entry.text(`${AUTHORITY_PATH}.OtherRegistrationAuthorityID`),
    number: entry.text(`${AUTHORITY_PATH}.RegistrationAuthorityEntityID`),
    register: findRegister(id),
  });
}

export function listNames(entry: Entry, path: string) {
  return entry.items(path).map(({ text, type, language }) => compact({ name: text, type, language }));
}

export function readAddress(entry: Entry, path: string) {
  const lines = [
    entry.text(`${path}.FirstAddressLine`),
    ...entry.items(`${path}.AdditionalAddressLine`).map(({ text }) => text),
  ];
  return compact({
    lines: lines.filter((line) => line !== ''),
    city: entry.text(`${path}.City`),
    region: entry.text(`${path}.Region`),
    postCode: entry.text(`${path}.PostalCode`),
    country: entry.text(`${path}.Country`),
    language: entry.language(path),
  });
}

export function readLeiState(entry: Entry, context: Context) {
  return compact({
    status: entry.text('Registration.RegistrationStatus'),
    issuedAt: readDayAt(entry, 'Registration.InitialRegistrationDate', context),
    updatedAt: readDayAt(entry, 'Registration.LastUpdateDate', context),
    nextRenewal: readDayAt(entry, 'Registration.NextRenewalDate', context),
    managingLou: entry.text('Registration.ManagingLOU'),
    validation: entry.text('Registration.ValidationSources'),
    validationAuthority: compact({
      id: entry.text('Registration.ValidationAuthority.ValidationAuthorityID'),
      number: entry.text('Registration.ValidationAuthority.ValidationAuthorityEntityID'),
    }),
  });
}
