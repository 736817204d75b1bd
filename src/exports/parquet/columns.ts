import { type SummaryName, summaryDescriptions, summaryFields, summaryNames } from '../../base/entity-summary.ts';
import { RegistryFields } from '../../registers/vocabulary.ts';
import type { EntityParts } from '../../registry/records/records.ts';
import type { ExportColumn } from '../folder.ts';
import type { Column, RowLayout } from './group.ts';
import { describeShape, type Fields, type Shape } from './shapes.ts';

/** The columns of a Parquet file of entities follow the record of the API. Fields without a column of their own are kept as JSON text. */
const summaryShapes: Partial<Readonly<Record<SummaryName, Shape>>> = { registeredAt: 'date', updatedAt: 'timestamp' };

const summaryColumns: readonly Column[] = summaryNames.map((name) => ({
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
  if (type === 'object' && properties !== undefined)
    return { struct: Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, toShape(field)])) };
  if (type === 'string') return format === 'date' ? 'date' : 'text';
  return type === 'integer' || type === 'number' || type === 'boolean' ? type : 'json';
}

/** Fields of `registry` whose names the summary already uses. */
const renamed: Readonly<Record<string, string>> = {
  legalForm: 'legalFormDetails',
  status: 'statusDetails',
  jurisdiction: 'jurisdictionText',
};

/** The common fields of `registry`, by their names in the record. */
const registryColumns: ReadonlyMap<string, Column> = new Map(
  Object.entries(RegistryFields.properties as Readonly<Record<string, JsonSchema>>).map(([name, schema]) => {
    const description = `\`registry.${name}\`: ${schema.description}`;
    return [name, { name: renamed[name] ?? name, shape: toShape(schema), description }];
  }),
);

const texts = (...names: readonly string[]): Fields => Object.fromEntries(names.map((name) => [name, 'text']));

const registration: Fields = {
  ...texts('authority', 'type', 'number'),
  numberValid: 'boolean',
  ...texts('status', 'statusCode'),
  registeredAt: 'date',
  endedAt: 'date',
};

const relatedFields: Fields = {
  ...Object.fromEntries(summaryColumns.map(({ name, shape }) => [name, shape])),
  relation: 'text',
};

const sourceFile: Fields = {
  ...texts('file', 'hash', 'url', 'entry', 'table'),
  rows: { list: { struct: { first: 'integer', last: 'integer' } } },
};

const provenance: Fields = {
  ...texts('register', 'publisher', 'file', 'hash'),
  row: 'integer',
  asOf: 'date',
  importedAt: 'timestamp',
  ...texts('sourceUrl', 'licence'),
  synthetic: 'boolean',
  files: { list: { struct: sourceFile } },
};

export const column = (name: string, shape: Shape, description: string): Column => ({ name, shape, description });

const partyCounts: Fields = { owners: 'integer', others: 'integer' };

const NATIONAL =
  'JSON: the national fields of `registry`, and common fields with national parts, which their columns lack. Null if there are none.';

const otherColumns = [
  column('registrations', { list: { struct: registration } }, 'Numbers that authorities have given the entity.'),
  column('related', { list: { struct: relatedFields } }, 'Records of the same company in other registers.'),
  column('partyCounts', { struct: partyCounts }, 'How many parties are named. Null if their files are not imported.'),
  column('provenance', { struct: provenance }, 'Where the record comes from.'),
  column('registryOther', 'json', NATIONAL),
  column('sourceData', 'jsonText', 'JSON: every field of the source, as published.'),
];

const columns: readonly Column[] = [...summaryColumns, ...registryColumns.values(), ...otherColumns];

export const entityRows: RowLayout<EntityParts> = {
  columns,
  shred(find) {
    const summary = summaryColumns.map((column) => [column.name, find(column)] as const);
    const common = new Map([...registryColumns].map(([name, column]) => [name, find(column)]));
    const [registrations, related, partyCounts, provenance, registryOther, sourceData] = otherColumns.map(find);

    return (record, row) => {
      for (const [name, column] of summary) column.add(Reflect.get(record.summary, name), row);
      const fields: Readonly<Record<string, unknown>> = JSON.parse(record.registry);
      const rest: Record<string, unknown> = {};
      for (const name in fields) {
        if (common.get(name)?.add(fields[name], row) !== true) rest[name] = fields[name];
      }
      if (Object.keys(rest).length > 0) registryOther?.add(rest, row);
      registrations?.add(JSON.parse(record.registrations), row);
      related?.add(JSON.parse(record.related), row);
      partyCounts?.add(JSON.parse(record.partyCounts), row);
      provenance?.add(JSON.parse(record.provenance), row);
      sourceData?.add(record.sourceData, row);
      return record.registry.length + record.sourceData.length;
    };
  },
};

export function describeColumns(columns: readonly Column[]): ExportColumn[] {
  return columns.map(({ name, shape, description }) => ({ name, type: describeShape(shape), description }));
}
