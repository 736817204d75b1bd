import type { SourceValue } from './record-fields.ts';
import { isList, isRecord, type SourceRecord } from './registry-split.ts';

/** Fields of `registry` that explain codes, by the name of the field with the code. */
type Legends = Readonly<Record<string, string>>;

/** Replaces codes by what the legends of the record say, and drops the legends, which do not describe the company. */
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
