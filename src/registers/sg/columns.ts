const listNumbered = (count: number, name: (index: number) => string | string[]) =>
  Array.from({ length: count }, (_, index) => name(index + 1)).flat();

/** The columns of the letter files, in their order. */
export const HEADER: readonly string[] = [
  ...['uen', 'issuance_agency_id', 'entity_name', 'entity_type_description', 'business_constitution_description'],
  ...['company_type_description', 'paf_constitution_description', 'entity_status_description'],
  ...['registration_incorporation_date', 'uen_issue_date', 'address_type', 'block', 'street_name', 'level_no'],
  ...['unit_no', 'building_name', 'postal_code', 'other_address_line1', 'other_address_line2', 'account_due_date'],
  ...['annual_return_date', 'primary_ssic_code', 'primary_ssic_description', 'primary_user_described_activity'],
  ...['secondary_ssic_code', 'secondary_ssic_description', 'secondary_user_described_activity', 'no_of_officers'],
  ...listNumbered(15, (index) => `former_entity_name${index}`),
  ...listNumbered(5, (index) => [`uen_of_audit_firm${index}`, `name_of_audit_firm${index}`]),
];

/** The beginnings of the column names for each currency of the paid-up capital. */
export const CAPITALS = listNumbered(10, (index) => `paid_up_capital${index}`);

/** The older edition also had charges and the paid-up capital. */
export const COLUMNS: readonly string[] = [
  ...HEADER,
  'no_of_charges',
  ...CAPITALS.flatMap((prefix) => ['currency', 'ordinary', 'preference', 'others'].map((kind) => `${prefix}_${kind}`)),
];

/** The datasets "Entities registered with ACRA" and "… with other UEN agencies". */
export const SIMPLE_COLUMNS: readonly string[] = [
  ...['uen', 'issuance_agency_desc', 'uen_status_desc', 'entity_name', 'entity_type_desc', 'uen_issue_date'],
  ...['reg_street_name', 'reg_postal_code'],
];

export const FORMER_NAMES: readonly string[] = HEADER.filter((column) => column.startsWith('former_entity_name'));
/** The ends of the column names for each audit firm; they start with `uen` or `name`. */
export const AUDITORS = listNumbered(5, (index) => `_of_audit_firm${index}`);
