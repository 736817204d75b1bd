/** Characters of a name. The longest official ones have some hundred. */
export const MAX_NAME_LENGTH = 4_000;

/**
 * The fields of an entity summary: what a search result shows and what a full record begins with, in this order. The
 * store's columns, the index in memory, both search engines and the replies follow this table. "Adding a field" in
 * CONTRIBUTING.md lists what else a new field needs.
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
} as const satisfies Readonly<Record<string, SummaryField>>;

interface SummaryField {
  /** The column of the table `entities`. */
  readonly column: string;
  /** A timestamp is stored as milliseconds since 1970 and shown in ISO 8601; the others are shown as stored. */
  readonly type: 'uuid' | 'text' | 'timestamp';
  /**
   * `few`: many entities share a value, as with a status or a date. The index keeps each distinct value once and a
   * number per entity. `many`: most values are distinct, and the index keeps each entity's text. `number`: the first
   * registration number. The index already has it in folded form, because entities are found by it.
   */
  readonly values: 'few' | 'many' | 'number';
  readonly nullable: boolean;
}

type Fields = typeof summaryFields;
export type SummaryName = keyof Fields;
type NamesWith<Property> = { [N in SummaryName]: Fields[N] extends Property ? N : never }[SummaryName];

export type FewValuedName = NamesWith<{ readonly values: 'few' }>;
export type TextName = NamesWith<{ readonly type: 'text'; readonly values: 'many' }>;
/** The fields whose value comes from the register's file: not the derived id, and not the time of an import. */
export type SourceName = Exclude<SummaryName, 'id' | 'updatedAt'>;

export const summaryNames = Object.keys(summaryFields) as SummaryName[];
export const fewValuedNames = summaryNames.filter((name) => summaryFields[name].values === 'few') as FewValuedName[];
export const textNames = summaryNames.filter((name) => isLongText(summaryFields[name])) as TextName[];
export const sourceNames = summaryNames.filter((name) => name !== 'id' && name !== 'updatedAt') as SourceName[];

function isLongText({ type, values }: SummaryField): boolean {
  return type === 'text' && values === 'many';
}

type Shown<Value, Field> = Field extends { readonly nullable: true } ? Value | null : Value;

/** As the API shows it. */
export type EntitySummary = { readonly [N in SummaryName]: Shown<string, Fields[N]> };

/** As the store holds it. */
export type StoredSummary = {
  readonly [N in SummaryName]: Shown<Fields[N] extends { readonly type: 'timestamp' } ? number : string, Fields[N]>;
};

type StoredValue = string | number | null;

/** The part of a stored row that is shown in a summary, with the fields in their order. */
export function toSummary(stored: StoredSummary): EntitySummary {
  return describeSummary(summaryNames.map((name) => stored[name]));
}

/** The same from the values of the fields, in their order. There may be others after them. */
export function describeSummary(values: readonly StoredValue[]): EntitySummary {
  const summary: Partial<Record<SummaryName, string | null>> = {};
  for (let index = 0; index < summaryNames.length; index++) {
    const name = summaryNames[index] as SummaryName;
    summary[name] = showValue(name, values[index] ?? null);
  }
  return summary as EntitySummary;
}

export function showValue(name: SummaryName, value: StoredValue): string | null {
  if (value === null) return null;
  return summaryFields[name].type === 'timestamp' ? showTime(Number(value)) : String(value);
}

/** Entities of one import have the same time, so a few texts serve millions of them. */
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
