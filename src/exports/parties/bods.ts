import { hash } from 'node:crypto';
import type { Share } from '../../registers/mapped.ts';
import { heldAsTexts } from '../../registers/vocabulary.ts';
import type { BulkParty, Company } from '../../registry/parties/bulk/bulk.ts';

/** Parties as statements of the Beneficial Ownership Data Standard 0.4: https://standard.openownership.org/en/0.4.0/ */
export type BodsRegister = Readonly<Record<'id' | 'name' | 'publisher' | 'sourceUrl', string>>;

/**
 * Returns a function that writes the statements of a party, as JSON. Companies and persons come before the relationship, and each company comes once
 * per file: each file can be read alone, and equal statements of two files have the same id.
 */
export function createStatements(registers: readonly BodsRegister[]): (party: BulkParty) => Generator<string> {
  const byId = new Map(registers.map((register) => [register.id, register]));
  const written = new Set<string>();

  return function* ({ shown, company, linked, link, day }) {
    const { register, companyNumber, id } = shown;
    const interests = listInterests(shown);
    if (interests === undefined) return;
    const publisher = byId.get(register);
    const base = { subject: `${register}-${companyNumber}`, day, publisher };

    function* writeCompany(place: { register: string; number: string }, known: Company | undefined) {
      const recordId = `${place.register}-${place.number}`;
      if (written.has(recordId)) return;
      written.add(recordId);
      const scheme = schemes[place.register];
      const schemeName = byId.get(place.register)?.name ?? place.register;
      const identifiers = [{ id: place.number, ...(scheme === undefined ? { schemeName } : { scheme }) }];
      const details = { isComponent: false, entityType: { type: 'registeredEntity' }, identifiers };
      const names = known && { name: known.name, jurisdiction: describeCountry(known.countryCode) };
      yield state({ ...base, subject: recordId, recordId, recordType: 'entity' }, { ...details, ...names });
    }

    yield* writeCompany({ register, number: companyNumber }, company);
    let interestedParty: unknown;
    if (link !== null) {
      yield* writeCompany(link, linked);
      interestedParty = `${link.register}-${link.number}`;
    } else {
      const unlinked = describeUnlinked(shown);
      interestedParty = unlinked.party ?? `${id}-party`;
      if (unlinked.details !== undefined)
        yield state({ ...base, recordId: `${id}-party`, recordType: unlinked.type }, unlinked.details);
    }
    const { source: row, current } = shown;
    const source = {
      type: ['officialRegister'],
      description: `${publisher?.publisher ?? register}: ${row.file} row ${row.row}, ${row.hash}`,
      ...(publisher && { url: publisher.sourceUrl }),
    };
    const details = { isComponent: false, subject: base.subject, interestedParty, interests };
    const recordStatus = current ? 'new' : 'closed';
    yield state({ ...base, recordId: id, recordType: 'relationship', recordStatus, source }, details);
  };
}

type Described = Readonly<Record<'subject' | 'day' | 'recordId' | 'recordType', string>> & {
  readonly recordStatus?: string;
  readonly source?: object;
};

/** The id is a hash of the statement's content, so it changes with the content, but not with the day. */
function state({ subject, day, recordId, recordType, recordStatus = 'new', source }: Described, recordDetails: object) {
  const content = { declarationSubject: subject, recordId, recordType, recordStatus, recordDetails };
  return JSON.stringify({
    statementId: hash('sha256', JSON.stringify(content)),
    statementDate: day,
    ...content,
    publicationDetails: { publicationDate: day, bodsVersion: '0.4', publisher: { name: 'Firmament' } },
    ...(source && { source }),
  });
}

/** Returns undefined if the standard has no interest for the party. An unnamed party gets an empty list, which means unknown interests. */
function listInterests(shown: BulkParty['shown']): object[] | undefined {
  const { role, roleText, interests, kind, absence, from, until } = shown;
  const common = {
    directOrIndirect: 'unknown',
    // Only natural persons can be beneficial owners, and only if the register names them as such.
    ...(kind === 'organisation' && { beneficialOwnershipOrControl: false }),
    ...(kind === 'person' && role === 'beneficial_owner' && { beneficialOwnershipOrControl: true }),
    details: roleText,
    ...(from !== null && { startDate: from }),
    ...(until !== null && { endDate: until }),
  };
  // A row may contain only a statement of the company about its parties.
  if (absence !== null) return absence.reason === 'statement' ? undefined : [];
  if (interests.length > 0)
    return interests.map(({ type, share, heldAs }) => {
      return {
        type: interestCodes[type] ?? 'unknownInterest',
        ...common,
        ...(heldAs !== null && describeHeldAs(roleText, heldAs)),
        ...(share !== null && { share: describeBand(shown.register, share) }),
      };
    });
  const type = roleCodes[role];
  return type === undefined ? undefined : [{ type, ...common }];
}

/** The standard has no codes for how an interest is held. A trustee may hold an interest directly; a controller of the trustee does not. */
function describeHeldAs(roleText: string, heldAs: string): object {
  const text = Object.entries(heldAsTexts).find(([name]) => name === heldAs)?.[1] ?? heldAs;
  const isIndirect = text.startsWith('through ');
  return { details: `${roleText}, ${text}`, ...(isIndirect && { directOrIndirect: 'indirect' }) };
}

interface Unlinked {
  readonly type: 'person' | 'entity';
  readonly details?: object;
  /** Replaces the record of a party if nothing is known about its identity. */
  readonly party?: object;
}

/** Describes a party without a number in a register that we know. */
function describeUnlinked({ kind, name, absence, countryCode, number }: BulkParty['shown']): Unlinked {
  const unknownPerson = { isComponent: false, personType: 'unknownPerson' };
  if (absence !== null) {
    const { reason, who } = reasonCodes[absence.reason] ?? { reason: 'unknown' };
    const unspecified = { reason, description: absence.text };
    if (who === undefined) return { type: 'entity', party: unspecified };
    if (who === 'person') return { type: who, details: { ...unknownPerson, unspecifiedPersonDetails: unspecified } };
    const entityType = { type: 'unknownEntity' };
    return { type: who, details: { isComponent: false, entityType, unspecifiedEntityDetails: unspecified } };
  }
  if (kind === 'person') {
    const names = [{ type: 'legal', fullName: name }];
    const details = name === null ? unknownPerson : { isComponent: false, personType: 'knownPerson', names };
    return { type: 'person', details };
  }
  const details = {
    isComponent: false,
    entityType: { type: 'legalEntity' },
    ...(name !== null && { name }),
    ...(countryCode !== null && { jurisdiction: describeCountry(countryCode) }),
    ...(number !== null && { identifiers: [{ id: number, schemeName: 'as published' }] }),
  };
  return { type: 'entity', details };
}

const countryNames = new Intl.DisplayNames(['en'], { type: 'region' });

function describeCountry(code: string): object {
  return { name: String(countryNames.of(code)), code };
}

/** Our codes and their counterparts in the Beneficial Ownership Data Standard (BODS) 0.4. Codes that are not listed have none. */

/** The interest for each `interests[].type`. Consolidated accounts mean control, without a known share. */
const interestCodes: Readonly<Record<string, string>> = {
  consolidation: 'otherInfluenceOrControl',
  shares: 'shareholding',
  votes: 'votingRights',
  board: 'appointmentOfBoard',
  surplus_assets: 'rightsToSurplusAssetsOnDissolution',
  influence: 'otherInfluenceOrControl',
  nominee: 'nominator',
  other: 'otherInfluenceOrControl',
};

/** The interest for each role, for parties whose source names no interest. The standard has none for other roles, such as that of an auditor. */
const roleCodes: Readonly<Record<string, string>> = {
  parent: 'otherInfluenceOrControl',
  ultimate_parent: 'otherInfluenceOrControl',
  head_office: 'otherInfluenceOrControl',
  umbrella_fund: 'otherInfluenceOrControl',
  fund_manager: 'otherInfluenceOrControl',
  controller: 'otherInfluenceOrControl',
  shareholder: 'shareholding',
  partner: 'unknownInterest',
  beneficial_owner: 'unknownInterest',
  director: 'boardMember',
};

/** Codes for an unnamed owner. `who` is set if the source states whether the owner is a person or a company. */
const reasonCodes: Readonly<Record<string, { readonly reason: string; readonly who?: 'person' | 'entity' }>> = {
  no_parent: { reason: 'noBeneficialOwners' },
  persons: { reason: 'informationUnknownToPublisher', who: 'person' },
  no_number: { reason: 'informationUnknownToPublisher', who: 'entity' },
  not_identified: { reason: 'subjectUnableToConfirmOrIdentifyBeneficialOwner' },
  no_answer: { reason: 'interestedPartyHasNotProvidedInformation' },
  exempt: { reason: 'subjectExemptFromDisclosure' },
  protected: { reason: 'interestedPartyExemptFromDisclosure', who: 'person' },
};

/** Schemes of org-id.guide. Other registers are given by their name instead. */
const schemes: Readonly<Record<string, string>> = { gleif: 'XI-LEI', gb: 'GB-COH', no: 'NO-BRC', ee: 'EE-RIK' };

/** The bands of the United Kingdom have open ends: more than 25 %, more than 50 % but less than 75 %, 75 % or more. */
const bands: Readonly<Record<string, object>> = {
  '25-50': { exclusiveMinimum: 25, maximum: 50 },
  '50-75': { exclusiveMinimum: 50, exclusiveMaximum: 75 },
  '75-100': { minimum: 75, maximum: 100 },
  '25-100': { exclusiveMinimum: 25, maximum: 100 },
};

function describeBand(register: string, { exact, min, max }: Share): object {
  if (exact !== undefined) return { exact };
  const band = register === 'gb' ? bands[`${min}-${max ?? 100}`] : undefined;
  return band ?? { ...(min !== undefined && { minimum: min }), ...(max !== undefined && { maximum: max }) };
}
