import { type SummaryName, summaryDescriptions, summaryFields, summaryNames } from '../../base/entity-summary.ts';
import { RegistryFields } from '../../registers/vocabulary.ts';
import type { ExportColumn } from '../manifest.ts';
import { describeShape, type Fields, type Shape } from './shapes.ts';

/**
 * The columns of a Parquet file. They follow the record of the API: the summary, the common fields of `registry`, the lists and the provenance.
 * Fields without a column of their own are kept as JSON text.
 */
export interface Column {
  readonly name: string;
  readonly shape: Shape;
  readonly description: string;
  /** Set if the column has a value in every row. */
  readonly required?: true;
  /** Set for columns in which readers look up single values. */
  readonly bloomFilter?: true;
}

const summaryShapes: Partial<Readonly<Record<SummaryName, Shape>>> = { registeredAt: 'date', updatedAt: 'timestamp' };

export const summaryColumns: readonly Column[] = summaryNames.map((name) => ({
  name,
  shape: summaryShapes[name] ?? 'text',
  description: summaryDescriptions[name],
  ...(!summaryFields[name].nullable && { required: true }),
  ...((name === 'id' || name === 'registrationNumber') && { bloomFilter: true }),
}));

interface JsonSchema {
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
}

function toShape({ type, format, items, properties, enum: values }: JsonSchema): Shape {
  if (values !== undefined) return 'text';
  if (type === 'array' && items !== undefined) return { list: toShape(items) };
  if (type === 'object' && properties !== undefined) return { struct: mapValues(properties, toShape) };
  if (type === 'string') return format === 'date' ? 'date' : 'text';
  return type === 'integer' || type === 'number' || type === 'boolean' ? type : 'json';
}

function mapValues<A, B>(object: Readonly<Record<string, A>>, map: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value)]));
}

/** Fields of `registry` whose names the summary already uses. */
const renamed: Readonly<Record<string, string>> = {
  legalForm: 'legalFormDetails',
  status: 'statusDetails',
  jurisdiction: 'jurisdictionText',
};

/** The common fields of `registry`, by their names in the record. */
export const registryColumns: ReadonlyMap<string, Column> = new Map(
  Object.entries(RegistryFields.properties as Readonly<Record<string, JsonSchema>>).map(([name, schema]) => {
    const description = `\`registry.${name}\`: ${schema.description}`;
    return [name, { name: renamed[name] ?? name, shape: toShape(schema), description }];
  }),
);

const registration: Fields = {
  authority: 'text',
  type: 'text',
  number: 'text',
  numberValid: 'boolean',
  status: 'text',
  statusCode: 'text',
  registeredAt: 'date',
  endedAt: 'date',
};

const relatedFields: Fields = {
  ...Object.fromEntries(summaryColumns.map(({ name, shape }) => [name, shape])),
  relation: 'text',
};

const sourceFile: Fields = {
  file: 'text',
  hash: 'text',
  url: 'text',
  entry: 'text',
  table: 'text',
  rows: { list: { struct: { first: 'integer', last: 'integer' } } },
};

const provenance: Fields = {
  register: 'text',
  publisher: 'text',
  file: 'text',
  hash: 'text',
  row: 'integer',
  asOf: 'date',
  importedAt: 'timestamp',
  sourceUrl: 'text',
  licence: 'text',
  synthetic: 'boolean',
  files: { list: { struct: sourceFile } },
};

export const column = (name: string, shape: Shape, description: string): Column => ({ name, shape, description });

export const otherColumns = {
  registrations: column(
    'registrations',
    { list: { struct: registration } },
    'Numbers that authorities have given the entity.',
  ),
  related: column('related', { list: { struct: relatedFields } }, 'Records of the same company in other registers.'),
  partyCounts: column(
    'partyCounts',
    { struct: { owners: 'integer', others: 'integer' } },
    'How many parties are named. Null if their files are not imported.',
  ),
  provenance: column('provenance', { struct: provenance }, 'Where the record comes from.'),
  registryOther: column(
    'registryOther',
    'json',
    'JSON: the national fields of `registry`, and common fields with national parts, which their columns lack. Null if there are none.',
  ),
  sourceData: column('sourceData', 'jsonText', 'JSON: every field of the source, as published.'),
};

export const columns: readonly Column[] = [
  ...summaryColumns,
  ...registryColumns.values(),
  ...Object.values(otherColumns),
];

export function describeColumns(columns: readonly Column[]): ExportColumn[] {
  return columns.map(({ name, shape, description }) => ({ name, type: describeShape(shape), description }));
}
