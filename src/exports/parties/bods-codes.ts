/** Codes of the Beneficial Ownership Data Standard (BODS) 0.4, by ours. What is not listed has no counterpart there. */

/** By `interests[].type`. Consolidated accounts mean control, without a share that is known. */
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

/** By role, for parties whose source names no interest. */
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

/** Undefined if the role is no interest of the standard, such as that of an auditor. */
export function codeOfRole(role: string): string | undefined {
  return roleCodes[role];
}

export function codeOfInterest(type: string): string {
  return interestCodes[type] ?? 'unknownInterest';
}

/** Codes for an owner who is not named. `who` is set if the source says whether it is a person or a company. */
const reasonCodes: Readonly<Record<string, { readonly reason: string; readonly who?: 'person' | 'entity' }>> = {
  no_parent: { reason: 'noBeneficialOwners' },
  persons: { reason: 'informationUnknownToPublisher', who: 'person' },
  no_number: { reason: 'informationUnknownToPublisher', who: 'entity' },
  not_identified: { reason: 'subjectUnableToConfirmOrIdentifyBeneficialOwner' },
  no_answer: { reason: 'interestedPartyHasNotProvidedInformation' },
  exempt: { reason: 'subjectExemptFromDisclosure' },
  protected: { reason: 'interestedPartyExemptFromDisclosure', who: 'person' },
};

export function codeOfAbsence(reason: string): { readonly reason: string; readonly who?: 'person' | 'entity' } {
  return reasonCodes[reason] ?? { reason: 'unknown' };
}

/** Schemes of org-id.guide. Numbers of other registers have the name of the register instead. */
const schemes: Readonly<Record<string, string>> = { gleif: 'XI-LEI', gb: 'GB-COH', no: 'NO-BRC', ee: 'EE-RIK' };

export function schemeOf(register: string, name: string): object {
  const scheme = schemes[register];
  return scheme === undefined ? { schemeName: name } : { scheme };
}

/** The bands of the United Kingdom have open ends: more than 25 %, more than 50 % but less than 75 %, 75 % or more. */
const bands: Readonly<Record<string, object>> = {
  '25-50': { exclusiveMinimum: 25, maximum: 50 },
  '50-75': { exclusiveMinimum: 50, exclusiveMaximum: 75 },
  '75-100': { minimum: 75, maximum: 100 },
  '25-100': { exclusiveMinimum: 25, maximum: 100 },
};

export function describeBand(register: string, { exact, min, max }: Share): object {
  if (exact !== undefined) return { exact };
  const band = register === 'gb' ? bands[`${min}-${max ?? 100}`] : undefined;
  return band ?? { ...(min !== undefined && { minimum: min }), ...(max !== undefined && { maximum: max }) };
}

export interface Share {
  readonly exact?: number;
  readonly min?: number;
  readonly max?: number;
}
