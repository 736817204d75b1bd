/** The maximum length of a name, in characters. The longest official names have a few hundred. */
export const MAX_NAME_LENGTH = 4_000;

/**
 * The length of the start of a record's `registry` that contains its activities, in characters. The longest list of the samples takes a tenth of this
 * length. Defined here because `classifications/` reads tables when it is loaded, which takes 0.2 s.
 */
export const ACTIVITIES_LENGTH = 64 * 1024;

/**
 * The fields of an entity summary: what a search result shows and what a full record begins with, in this order. The
 * store's columns, the index in memory, both search engines and the replies follow this table; derived fields come last. "Adding a
 * field" in CONTRIBUTING.md lists what else a new field needs.
 */
export const summaryFields = {
  id: { column: 'id', type: 'uuid', values: 'many', nullable: false },
  countryCode: { column: 'country_code', type: 'text', values: 'few', nullable: false },
  register: { column: 'register', type: 'text', values: 'few', nullable: true },
  registrationNumber: { column: 'registration_number', type: 'text', values: 'number', nullable: true },
  canonicalName: { column: 'canonical_name', type: 'text', values: 'many', nullable: false },
  status: { column: 'status', type: 'text', values: 'few', nullable: false },
  legalForm: { column: 'legal_form', type: 'text', values: 'few', nullable: true },
  city: { column: 'city', type: 'text', values: 'few', nullable: true },
  registeredAt: { column: 'registered_at', type: 'text', values: 'few', nullable: true },
  updatedAt: { column: 'updated_at', type: 'timestamp', values: 'few', nullable: false },
  jurisdiction: { column: 'jurisdiction', type: 'text', values: 'few', nullable: true },
  isic: { column: 'isic', type: 'text', values: 'few', nullable: true, derived: true },
  elf: { column: 'elf', type: 'text', values: 'form', nullable: true, derived: true },
  legalFormClass: { column: 'legal_form_class', type: 'text', values: 'form', nullable: true, derived: true },
} as const satisfies Readonly<Record<string, SummaryField>>;

interface SummaryField {
  readonly column: string;
  /** A timestamp is stored as milliseconds since 1970 and shown in ISO 8601; values of other types are shown as stored. */
  readonly type: 'uuid' | 'text' | 'timestamp';
  /**
   * `few`: many entities share a value, as with a status or a date. The index keeps each distinct value once and a number per entity. `many`: most
   * values are distinct, and the index keeps each entity's text. `number`: the first registration number. The index already contains the number in
   * folded form, because entities are found by it. `form`: the value follows from the register and the legal form.
   */
  readonly values: 'few' | 'many' | 'number' | 'form';
  readonly nullable: boolean;
  /** Computed from the record by `classifications/`. The table `entities` has no column for a derived field. */
  readonly derived?: true;
}

type Fields = typeof summaryFields;
export type SummaryName = keyof Fields;
type NamesWith<Property> = { [N in SummaryName]: Fields[N] extends Property ? N : never }[SummaryName];

export type DerivedName = NamesWith<{ readonly derived: true }>;
export type FewValuedName = NamesWith<{ readonly values: 'few' }>;
export type StoredValueName = Exclude<FewValuedName, DerivedName>;
export type TextName = NamesWith<{ readonly type: 'text'; readonly values: 'many' }>;
export type StoredName = Exclude<SummaryName, DerivedName>;
/** The fields whose value comes from the register's file: not the id, and not the time of an import. */
export type SourceName = Exclude<StoredName, 'id' | 'updatedAt'>;

export const summaryNames = Object.keys(summaryFields) as SummaryName[];
export const storedNames = listNames<StoredName>(({ derived }) => derived !== true);
export const storedValueNames = listNames<StoredValueName>(({ values, derived }) => values === 'few' && !derived);
export const textNames = listNames<TextName>(({ type, values }) => type === 'text' && values === 'many');
export const sourceNames = storedNames.filter((name) => name !== 'id' && name !== 'updatedAt') as SourceName[];

function listNames<Name extends SummaryName>(isWanted: (field: SummaryField) => boolean): Name[] {
  return summaryNames.filter((name) => isWanted(summaryFields[name])) as Name[];
}

export const summaryDescriptions: Readonly<Record<SummaryName, string>> = {
  id: 'Id of the entity, a UUID. The same in every export and on every installation.',
  countryCode: 'Two-letter country code (ISO 3166-1 alpha-2).',
  register: 'Id of the register.',
  registrationNumber: 'The first registration number, as written, with leading zeros.',
  canonicalName: 'Registered name.',
  status: 'Normalized status. `delisted`: no longer in the files of the register.',
  legalForm: 'Legal form.',
  city: 'City of the registered address.',
  registeredAt: 'Day of registration.',
  updatedAt: 'When the record last changed here.',
  jurisdiction: 'Under whose law the company was formed: a state (ISO 3166-2) or a country (ISO 3166-1 alpha-2).',
  isic: 'ISIC Rev. 4 code of the main activity, as deep as it is certain.',
  elf: 'Code of the legal form in the list of entity legal forms (ELF, ISO 20275).',
  legalFormClass: 'Class of the legal form, the same in all countries.',
};

type Shown<Value, Field> = Field extends { readonly nullable: true } ? Value | null : Value;

export type EntitySummary = { readonly [N in SummaryName]: Shown<string, Fields[N]> };

export type StoredSummary = {
  readonly [N in StoredName]: Shown<Fields[N] extends { readonly type: 'timestamp' } ? number : string, Fields[N]>;
};

export type DerivedSummary = Pick<EntitySummary, DerivedName>;

type StoredValue = string | number | null;

/** The part of a stored row that a summary shows, in the order of the summary fields. */
export function toSummary(stored: StoredSummary, derived: DerivedSummary): EntitySummary {
  return describeSummary(
    storedNames.map((name) => stored[name]),
    derived,
  );
}

/** Makes a summary from the values of the stored fields, in their order. The array may contain further values after them. */
export function describeSummary(values: readonly StoredValue[], derived: DerivedSummary): EntitySummary {
  const summary: Partial<Record<SummaryName, string | null>> = {};
  for (let index = 0; index < storedNames.length; index++) {
    const name = storedNames[index] as StoredName;
    summary[name] = showValue(name, values[index] ?? null);
  }
  return Object.assign(summary, derived) as EntitySummary;
}

export function showValue(name: SummaryName, value: StoredValue): string | null {
  if (value === null) return null;
  return summaryFields[name].type === 'timestamp' ? showTime(Number(value)) : String(value);
}

/** The entities of one import have one time, so a few texts serve millions of them. */
const shownTimes = new Map<number, string>();
const MAX_SHOWN_TIMES = 1_000;

function showTime(time: number): string {
  let text = shownTimes.get(time);
  if (text === undefined) {
    text = new Date(time).toISOString();
    if (shownTimes.size >= MAX_SHOWN_TIMES) shownTimes.clear();
    shownTimes.set(time, text);
  }
  return text;
}
