import Type, { type Static, type TSchema } from 'typebox';
import type { EntitySummary } from '../../base/entity-summary.ts';
import type { ExcerptValue } from '../../base/json/json-excerpt.ts';
import type { MainRow } from '../../registry/records/records.ts';
import { boundField, NOTICE, quote } from './register-text.ts';

/** Shapes that several tools return, and functions that write them as text. */

export const Text = Type.String();
export const NullableText = Type.Unsafe<string | null>({ type: ['string', 'null'] });
export const UuidArgument = Type.String({
  format: 'uuid',
  errorMessage: 'must be the "id" of a company, as in results of search_companies',
});

/** A parameter of the API as an argument. Descriptions are shorter here, because every model reads all of them. */
export function required<S extends TSchema>(parameter: S, description?: string): S {
  const { description: _, examples: __, default: ___, ...rules } = parameter as TSchema & Record<string, unknown>;
  return { ...rules, ...(description !== undefined && { description }) } as unknown as S;
}

export function argument<S extends TSchema>(parameter: S, description?: string) {
  return Type.Optional(required(parameter, description));
}

/** `row` is null if the whole file is the source. */
export type SourceOf = Omit<MainRow, 'row'> & { readonly row: number | null };

export const Source = Type.Unsafe<SourceOf | null>({
  type: ['object', 'null'],
  properties: {
    file: { type: 'string' },
    hash: { type: 'string' },
    row: { type: ['integer', 'null'] },
    asOf: { type: ['string', 'null'] },
    synthetic: { type: 'boolean' },
  },
});

export const Company = Type.Object({
  id: Text,
  countryCode: Text,
  register: NullableText,
  registrationNumber: NullableText,
  canonicalName: Text,
  status: Text,
  legalForm: NullableText,
  city: NullableText,
  registeredAt: NullableText,
  source: Source,
});
export type Company = Static<typeof Company>;

export function toCompany({ updatedAt: _, ...summary }: EntitySummary, source: SourceOf | null | undefined): Company {
  const { registrationNumber, canonicalName, legalForm, city } = summary;
  return {
    ...summary,
    registrationNumber: boundField(registrationNumber),
    canonicalName: boundField(canonicalName),
    legalForm: boundField(legalForm),
    city: boundField(city),
    source: source ?? null,
  };
}

export function writeCompany(
  { canonicalName, countryCode, registrationNumber, ...company }: Company,
  cite: Cite = writeSource,
): string {
  const number = registrationNumber === null ? 'no number' : `number ${quote(registrationNumber, 40)}`;
  const place = company.city === null ? '' : `, ${quote(company.city, 60)}`;
  return `${quote(canonicalName)} ${countryCode} ${number}, ${company.status}${place}, id ${company.id}; ${cite(company.source)}`;
}

export function writeSource(source: SourceOf | null): string {
  if (source === null) return 'source unknown';
  const { file, hash, row, asOf, synthetic } = source;
  const day = asOf === null ? 'day not stated' : `as of ${asOf}`;
  const place = row === null ? '' : ` row ${row}`;
  return `source ${quote(file, 80)}${place}, ${hash}, ${day}${synthetic ? ', synthetic sample: invented company' : ''}`;
}

type Cite = (source: SourceOf | null) => string;

/**
 * Writes a list, an item per line. Each file is written once, after the items: a list of companies often comes from one file, and its hash is as long
 * as a line.
 */
export function writeList<T>(head: string, items: readonly T[], write: (item: T, cite: Cite, at: number) => string) {
  if (items.length === 0) return head;
  const files: string[] = [];
  function cite(source: SourceOf | null): string {
    if (source === null) return writeSource(null);
    const file = writeSource({ ...source, row: null });
    if (!files.includes(file)) files.push(file);
    const name = `source [${files.indexOf(file) + 1}]`;
    return source.row === null ? name : `${name} row ${source.row}`;
  }
  const lines = items.map((item, at) => write(item, cite, at));
  return [head, NOTICE, ...lines, ...files.map((file, at) => `[${at + 1}] ${file}`)].join('\n');
}

/** Reads the source from the provenance of an excerpt, in which numbers are texts. */
export function readSource(provenance: ExcerptValue | undefined): MainRow | null {
  if (provenance === null || typeof provenance !== 'object' || Array.isArray(provenance)) return null;
  const { file, hash, row, asOf, synthetic } = provenance as Record<string, ExcerptValue>;
  return {
    file: String(file),
    hash: String(hash),
    row: Number(row),
    asOf: typeof asOf === 'string' ? asOf : null,
    synthetic: synthetic === true,
  };
}
