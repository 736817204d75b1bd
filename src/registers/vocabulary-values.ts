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

export const elfSources = { register: 'from the national legal form', lei: 'from the LEI record' } as const;

export const elfTrusts = {
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
