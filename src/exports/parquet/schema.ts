import type { SchemaElement } from 'hyparquet-writer';
import type { Column } from './columns.ts';
import type { Scalar, Shape } from './shapes.ts';

export const elements: Readonly<Record<Scalar, Omit<SchemaElement, 'name'>>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  json: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  date: { type: 'INT32', converted_type: 'DATE' },
  timestamp: { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' } },
  integer: { type: 'INT64' },
  number: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
};

/** The schema of a file: its tree in depth-first order. */
export function writeSchema(columns: readonly Column[]): SchemaElement[] {
  const fields = columns.flatMap(({ name, shape, required = false }) => writeField(name, shape, required));
  return [{ name: 'entity', num_children: columns.length }, ...fields];
}

function writeField(name: string, shape: Shape, required = false): SchemaElement[] {
  const repetition_type = required ? 'REQUIRED' : 'OPTIONAL';
  if (typeof shape === 'string') return [{ name, repetition_type, ...elements[shape] }];
  if ('list' in shape) {
    return [
      { name, repetition_type, converted_type: 'LIST', num_children: 1 },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      ...writeField('element', shape.list),
    ];
  }
  const fields = Object.entries(shape.struct).flatMap(([field, type]) => writeField(field, type));
  return [{ name, repetition_type, num_children: Object.keys(shape.struct).length }, ...fields];
}
