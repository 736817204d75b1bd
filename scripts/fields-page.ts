/** Renders `docs/registers/fields.md`: the vocabulary of `registry`, and which register fills which field of it. */
import * as values from '../src/registers/vocabulary.ts';
import type { FieldSchema, FieldUsage } from './field-usage.ts';
import { writeRegisters } from './markdown-table.ts';

const INTRO = `# Fields of a record

<!-- Written by "npm run generate:docs" from src/registers/vocabulary.ts and the generated files of all registers. -->

\`registry\` holds what the import understood of a source row. The fields on this page have the same name and shape in
every register. All of them are optional: what the source does not publish is left out, and no field is ever null or
empty. Objects can have further, national fields, and so can \`registry\` itself; the page of each register describes
them. Numbers of a company, such as its VAT number or LEI, are in [\`registrations[]\`](#types-of-registration-numbers).
The normalized \`status\` is explained on [its own page](status.md).
`;

/** The lists of values: their heading and the field that takes them. */
const LISTS = [
  {
    title: 'Types of registration numbers',
    meanings: values.registrationTypes,
    field: 'registrations[].type',
    note: "The number in the record's own register always comes first in `registrations[]`.",
  },
  { title: 'Roles of parties', meanings: values.partyRoles, field: 'parties[].role' },
  { title: 'Kinds of parties', meanings: values.partyKinds, field: 'parties[].kind' },
  { title: 'Types of addresses', meanings: values.addressTypes, field: 'addresses[].type' },
  { title: 'Types of names', meanings: values.nameTypes, field: 'otherNames[].type' },
  { title: 'Types of activities', meanings: values.activityTypes, field: 'activities[].type' },
] as const;

export function renderFields(usage: FieldUsage): string {
  const fields = Object.entries(values.RegistryFields.properties as Readonly<Record<string, FieldSchema>>);
  return [
    INTRO,
    renderOverview(fields, usage),
    '## The fields\n',
    ...fields.map(([name, schema]) => renderField(name, schema)),
    '## Values\n\nNew values may be added.\n',
    ...LISTS.map((list) => renderList(list)),
  ].join('\n');
}

function renderOverview(fields: readonly (readonly [string, FieldSchema])[], usage: FieldUsage): string {
  const lines = fields.map(
    ([name, schema]) =>
      `- [\`${writePath(name, schema)}\`](#${name.toLowerCase()}): ${writeRegisters(usage.get(name))}`,
  );
  return `## Registers\n\nThe registers whose records can have each field.\n\n${lines.join('\n')}\n`;
}

function renderField(name: string, schema: FieldSchema): string {
  const shape = schema.items ?? schema;
  const title = `### \`${name}\`\n\n${writeType(schema)}. ${schema.description ?? ''}`;
  const shared = name === 'addresses' ? values.RegistryFields.properties.address.properties : {};
  const parts = Object.entries(shape.properties ?? {}).filter(([part]) => !(part in shared));
  const lines = parts.map(
    ([part, inner]) => `- \`${writePath(part, inner)}\`${writeShort(inner)}: ${describePart(inner)}`,
  );
  if (name === 'addresses') lines.push('- the parts of [`address`](#address)');
  return `${[title, '', ...lines].join('\n').trimEnd()}\n`;
}

/** The type of a part, unless it is a text. */
function writeShort(schema: FieldSchema): string {
  const type = writeType(schema).toLowerCase();
  return type === 'text' ? '' : ` (${type})`;
}

function renderList(list: (typeof LISTS)[number]): string {
  const lines = Object.entries(list.meanings).map(([value, meaning]) => `- \`${value}\`: ${meaning}`);
  const note = 'note' in list ? ` ${list.note}` : '';
  return `### ${list.title}\n\nThe values of \`${list.field}\`.${note}\n\n${lines.join('\n')}\n`;
}

function writePath(name: string, { items }: FieldSchema): string {
  return items === undefined ? name : `${name}[]`;
}

function writeType(schema: FieldSchema): string {
  if (schema.enum !== undefined) return 'Value';
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (schema.items !== undefined) return schema.items.properties === undefined ? 'List of text' : 'List of objects';
  if (schema.format === 'date') return 'Date';
  return TYPES[schema.type ?? ''] ?? 'Object';
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'Text',
  number: 'Number',
  integer: 'Whole number',
  boolean: 'Yes or no',
  object: 'Object',
};

/** The list of values has its own table on the page. */
function describePart({ description = '' }: FieldSchema): string {
  return description.replace(/ One of `.*$/, '');
}
