import type { EntityStatus, MapContext, MappedRecord, Registration, Rejection } from '../contract.ts';
import { compact, lookUpStatus, readText } from '../parsing.ts';
import { findRegister } from './authorities.ts';
import { type Entry, readDayAt } from './entry.ts';
import { isValidLei } from './lei.ts';
import { AUTHORITY_PATH, listNames, readAddress, readAuthority, readLeiState } from './registry.ts';

/** Legal form names by ELF code. */
export type Codes = ReadonlyMap<string, string>;
type Context = MapContext<Codes>;

const AUTHORITY = 'GLEIF';

/** The status of the company. The status of its LEI (issued, lapsed, …) is separate: `registry.lei.status`. */
const STATUSES: ReadonlyMap<string, EntityStatus> = new Map([
  ['ACTIVE', 'active'],
  ['INACTIVE', 'inactive'],
  // The record should not exist: the LEI was annulled, or it is a duplicate.
  ['NULL', 'unknown'],
]);

export function mapEntity(entry: Entry, context: Context): MappedRecord | Rejection {
  const canonicalName = readText(entry.text('Entity.LegalName'));
  if (canonicalName === null) return { rejected: 'no name' };
  const country = readCountry(entry, context);
  if (country === null) return { rejected: 'no country' };
  const lei = readText(entry.text('LEI'));
  const registeredAt = readDayAt(entry, 'Entity.EntityCreationDate', context);
  return {
    number: lei,
    country,
    canonicalName,
    status: lookUpStatus(STATUSES, 'Entity.EntityStatus', entry.text('Entity.EntityStatus'), context),
    legalForm: readLegalForm(entry, context),
    registeredAt,
    registrations: [...listLei(lei, entry, context), ...listNational(entry, registeredAt)],
    activities: [],
    ...readLink(entry),
    registry: compact({
      numberValid: lei === null ? null : isValidLei(lei),
      nameLanguage: entry.language('Entity.LegalName'),
      jurisdiction: entry.text('Entity.LegalJurisdiction'),
      category: entry.text('Entity.EntityCategory'),
      subCategory: entry.text('Entity.EntitySubCategory'),
      legalFormCode: entry.text('Entity.LegalForm.EntityLegalFormCode'),
      otherLegalForm: entry.text('Entity.LegalForm.OtherLegalForm'),
      entityStatus: entry.text('Entity.EntityStatus'),
      expiredAt: readDayAt(entry, 'Entity.EntityExpirationDate', context),
      expirationReason: entry.text('Entity.EntityExpirationReason'),
      successor: compact({
        lei: entry.text('Entity.SuccessorEntity.SuccessorLEI'),
        name: entry.text('Entity.SuccessorEntity.SuccessorEntityName'),
      }),
      otherNames: listNames(entry, 'Entity.OtherEntityNames.OtherEntityName'),
      transliteratedNames: listNames(entry, 'Entity.TransliteratedOtherEntityNames.TransliteratedOtherEntityName'),
      legalAddress: readAddress(entry, 'Entity.LegalAddress'),
      headquartersAddress: readAddress(entry, 'Entity.HeadquartersAddress'),
      registrationAuthority: readAuthority(entry),
      lei: readLeiState(entry, context),
    }),
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

const OTHER_FORM = '8888';
const NO_FORM = '9999';

function readLegalForm(entry: Entry, { codes }: Context): string | null {
  const code = entry.text('Entity.LegalForm.EntityLegalFormCode');
  const other = readText(entry.text('Entity.LegalForm.OtherLegalForm'));
  if (code === OTHER_FORM || code === NO_FORM || code === '') return other;
  return codes.get(code) ?? code;
}

function listLei(lei: string | null, entry: Entry, context: Context): Registration[] {
  if (lei === null) return [];
  const status = readText(entry.text('Registration.RegistrationStatus'));
  const registeredAt = readDayAt(entry, 'Registration.InitialRegistrationDate', context);
  return [{ authority: AUTHORITY, type: 'lei', number: lei, status, registeredAt, endedAt: null }];
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
