import type { Tool } from './tool.ts';

/**
 * A tool as `tools/list` shows it. Every model reads all of it before its first question, so it is short: arguments without the rules
 * that only matter for mistakes, whose errors say what to send, and results as an outline. What a call takes and returns is checked
 * by the complete schemas.
 */
export function describeTool({ name, description, input, output }: Tool) {
  return {
    name,
    description,
    inputSchema: describeArguments(input),
    outputSchema: describeResult(output),
    annotations: { readOnlyHint: true },
  };
}

interface ObjectSchema {
  readonly type: 'object';
  readonly [keyword: string]: unknown;
}

const RULES_FOR_MISTAKES = new Set([
  'additionalProperties',
  'errorMessage',
  'format',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'pattern',
]);

function describeArguments(schema: object): ObjectSchema {
  return JSON.parse(JSON.stringify(schema, (key, value) => (RULES_FOR_MISTAKES.has(key) ? undefined : value)));
}

interface Schema {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

function describeResult(schema: Schema): ObjectSchema {
  return outline(schema, 0) as ObjectSchema;
}

/** Names of the result and of what its lists have; types of the result itself, of objects and of lists. */
function outline({ type, properties, items }: Schema, depth: number): Schema {
  if (properties === undefined && items === undefined) return depth > 1 ? {} : { type };
  if (depth > 2) return { type };
  const members = Object.entries(properties ?? {}).map(([name, member]) => [name, outline(member, depth + 1)]);
  const item = items && outline(items, depth + 1);
  return {
    type,
    ...(properties && { properties: Object.fromEntries(members) }),
    ...(item?.type !== undefined && { items: item }),
  };
}
