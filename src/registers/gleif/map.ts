import type { MapContext, MappedRecord, Registration, Rejection } from '../contract.ts';
import { readText } from '../parsing.ts';
import type { LegalFormOf } from '../vocabulary.ts';
import { findRegister } from './authorities.ts';
import { type Entry, readDayAt } from './entry.ts';
import { type LegalForms, SCHEME } from './legal-forms.ts';
import { isValidLei } from './lei.ts';
import { readRegistry } from './registry.ts';
import { readState } from './state.ts';

type Context = MapContext<LegalForms>;

const AUTHORITY = 'GLEIF';
const AUTHORITY_PATH = 'Entity.RegistrationAuthority';

export function mapEntity(entry: Entry, context: Context): MappedRecord | Rejection {
  const canonicalName = readText(entry.text('Entity.LegalName'));
  if (canonicalName === null) return { rejected: 'no name' };
  const country = readCountry(entry, context);
  if (country === null) return { rejected: 'no country' };
  const lei = readText(entry.text('LEI'));
  const registeredAt = readDayAt(entry, 'Entity.EntityCreationDate', context);
  const state = readState(entry, context);
  const legalForm = readLegalForm(entry, context);
  return {
    number: lei,
    country,
    canonicalName,
    status: state.status,
    legalForm,
    registeredAt,
    registrations: [...listLei(lei, entry, context), ...listNational(entry, registeredAt)],
    activities: [],
    ...readLink(entry),
    registry: readRegistry(entry, state, legalForm, context),
  };
}

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
  const code = entry.text(CODE_PATH);
  const other = readText(entry.text('Entity.LegalForm.OtherLegalForm'));
  if (code === '') return other === null ? null : { label: other };
  if (code === NOT_LISTED || code === NO_FORM) return other === null ? null : { code, label: other, scheme: SCHEME };
  const form = context.codes.get(code);
  if (form !== undefined) return form;
  context.reportUnknown('legalForm', CODE_PATH, code);
  return other === null ? { code, scheme: SCHEME } : { code, label: other, scheme: SCHEME };
}

function listLei(lei: string | null, entry: Entry, context: Context): Registration[] {
  if (lei === null) return [];
  const status = readText(entry.text('Registration.RegistrationStatus'));
  const registeredAt = readDayAt(entry, 'Registration.InitialRegistrationDate', context);
  const numberValid = isValidLei(lei);
  return [{ authority: AUTHORITY, type: 'lei', number: lei, numberValid, status, registeredAt, endedAt: null }];
}

/** The number in the national register, as GLEIF writes it. */
function listNational(entry: Entry, registeredAt: string | null): Registration[] {
  const number = readText(entry.text(`${AUTHORITY_PATH}.RegistrationAuthorityEntityID`));
  if (number === null) return [];
  const authority = nameAuthority(entry) ?? 'unknown';
  return [{ authority, type: 'national', number, status: null, registeredAt, endedAt: null }];
}

/** A link needs both the authority and the number, because different registers assign the same numbers. */
function readLink(entry: Entry): Pick<MappedRecord, 'link'> {
  const register = findRegister(entry.text(`${AUTHORITY_PATH}.RegistrationAuthorityID`));
  const number = readText(entry.text(`${AUTHORITY_PATH}.RegistrationAuthorityEntityID`));
  return register === null || number === null ? {} : { link: { register, number } };
}

function nameAuthority(entry: Entry): string | null {
  return (
    readText(entry.text(`${AUTHORITY_PATH}.OtherRegistrationAuthorityID`)) ??
    readText(entry.text(`${AUTHORITY_PATH}.RegistrationAuthorityID`))
  );
}
