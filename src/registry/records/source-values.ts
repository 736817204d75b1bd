import type { ExcerptValue } from '../../base/json/json-excerpt.ts';
import { RegistryFields } from '../../registers/vocabulary.ts';

/** The parts of a record as readers take them apart: values, common and national fields, and codes with their legends. */

/** A value of the part of a record that a page shows. Numbers are texts. */
export type SourceValue = ExcerptValue;

export type SourceRecord = { readonly [key: string]: SourceValue };

interface FieldSchema {
  readonly items?: FieldSchema;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
}

const FIELDS = RegistryFields.properties as Readonly<Record<string, FieldSchema>>;

export interface SplitRegistry {
  readonly common: SourceRecord;
  /** Everything else, including national fields inside common objects. */
  readonly national: SourceRecord;
}

/** Separates the common fields of `registry` from the national fields. */
export function splitRegistry(registry: SourceRecord): SplitRegistry {
  const common: Record<string, SourceValue> = {};
  const national: Record<string, SourceValue> = {};
  for (const [name, value] of Object.entries(registry)) {
    const schema = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
    if (schema === undefined) {
      national[name] = value;
      continue;
    }
    common[name] = value;
    const more = isRecord(value) ? omit(value, Object.keys(schema.properties ?? {})) : {};
    if (Object.keys(more).length > 0) national[name] = more;
  }
  return { common, national };
}

/** The national fields of the items of a common list, in the order in which they first appear. */
export function listNationalKeys(name: string, items: readonly SourceRecord[]): string[] {
  const known = FIELDS[name]?.items?.properties ?? {};
  return [...new Set(items.flatMap((item) => Object.keys(item)))].filter((key) => !Object.hasOwn(known, key));
}

function omit(record: SourceRecord, keys: readonly string[]): SourceRecord {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)));
}

/** The value if it is an object, otherwise an empty object. */
export function toRecord(value: SourceValue | undefined): SourceRecord {
  return value !== undefined && isRecord(value) ? value : {};
}

export function listRecords(value: SourceValue | undefined): readonly SourceRecord[] {
  return value !== undefined && isList(value) ? value.filter(isRecord) : [];
}

export function isList(value: SourceValue): value is readonly SourceValue[] {
  return Array.isArray(value);
}

export function isRecord(value: SourceValue): value is SourceRecord {
  return typeof value === 'object' && value !== null && !isList(value);
}

/** Fields of `registry` that explain codes, by the name of the field with the code. */
type Legends = Readonly<Record<string, string>>;

/** Replaces codes by the texts in the legends of the record, and drops the legends, which do not describe the company. */
export function applyLegends(registry: SourceRecord, legends: Legends): SourceRecord {
  const texts = new Map<string, SourceRecord>();
  for (const [field, legend] of Object.entries(legends)) {
    const labels = registry[legend];
    if (labels !== undefined && isRecord(labels)) texts.set(field, labels);
  }
  const dropped = new Set(Object.values(legends));
  const decode = (value: SourceValue, field: string): SourceValue => {
    if (isList(value)) return value.map((item) => decode(item, field));
    if (isRecord(value)) {
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, decode(inner, key)]));
    }
    return (typeof value === 'string' ? texts.get(field)?.[value] : undefined) ?? value;
  };
  const facts = Object.entries(registry).filter(([key]) => !dropped.has(key));
  return Object.fromEntries(facts.map(([key, value]) => [key, decode(value, key)]));
}
