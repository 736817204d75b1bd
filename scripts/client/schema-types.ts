/** Renders JSON schemas of the contract as TypeScript types, with their descriptions as comments. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly description?: string;
  readonly default?: unknown;
}

/** A property of an object type. */
export interface Property {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
  readonly description?: string | undefined;
}

export function renderType(schema: Schema, indent = ''): string {
  if (schema.$ref !== undefined) return schema.$ref.replace('#/components/schemas/', '');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.anyOf !== undefined) return schema.anyOf.map((part) => renderType(part, indent)).join(' | ');
  switch (schema.type) {
    case undefined:
      return 'unknown';
    case 'integer':
      return 'number';
    case 'array':
      return `Array<${renderType(schema.items ?? {}, indent)}>`;
    case 'object':
      return renderObject(schema, indent);
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return schema.type;
    default:
      throw new Error(
        `the client has no type for ${JSON.stringify(schema.type)}: add it to scripts/client/schema-types.ts`,
      );
  }
}

function renderObject(schema: Schema, indent: string): string {
  const { additionalProperties, patternProperties = {} } = schema;
  const known = listProperties(schema);
  const others = [...Object.values(patternProperties)];
  if (additionalProperties === true) others.push({});
  else if (typeof additionalProperties === 'object') others.push(additionalProperties);
  // A named property must fit the type of the others, so with named ones that is `unknown`.
  const type = known.length > 0 ? 'unknown' : others.map((other) => renderType(other, `${indent}  `)).join(' | ');
  const index = others.length > 0 ? `${indent}  [name: string]: ${type};\n` : '';
  return `{\n${renderProperties(known, `${indent}  `)}${index}${indent}}`;
}

export function listProperties({ properties = {}, required = [] }: Schema): Property[] {
  return Object.entries(properties).map(([name, schema]) => ({ name, schema, isRequired: required.includes(name) }));
}

/** Fewer properties can be alike by chance. */
const MIN_SHARED = 5;

/**
 * Renders an interface. If it has all properties of another type of the contract, in the same words, it extends that type instead of
 * repeating them.
 */
export function renderInterface(
  name: string,
  properties: readonly Property[],
  others: Readonly<Record<string, Schema>>,
): string {
  const own = new Set(properties.map((each) => renderProperties([each])));
  const [base] = Object.entries(others)
    .map(([other, schema]) => ({ other, shared: listProperties(schema).map((each) => renderProperties([each])) }))
    .filter(
      ({ shared }) => shared.length >= MIN_SHARED && shared.length < own.size && shared.every((each) => own.has(each)),
    )
    .sort((a, b) => b.shared.length - a.shared.length);
  for (const each of base?.shared ?? []) own.delete(each);
  return `export interface ${name}${base ? ` extends ${base.other}` : ''} {\n${[...own].join('')}}\n`;
}

function renderProperties(properties: readonly Property[], indent = '  '): string {
  return properties
    .map(({ name, schema, isRequired, description }) => {
      const text = [
        description ?? describe(schema),
        schema.default === undefined ? '' : `@default ${JSON.stringify(schema.default)}`,
      ];
      const key = /^[a-zA-Z_]\w*$/.test(name) ? name : JSON.stringify(name);
      return `${renderComment(text, indent)}${indent}${key}${isRequired ? '' : '?'}: ${renderType(schema, indent)}${isRequired ? '' : ' | undefined'};\n`;
    })
    .join('');
}

/** The description of a nullable value is in its first alternative. */
function describe({ description, anyOf = [] }: Schema): string {
  return description ?? anyOf.find((part) => part.description !== undefined)?.description ?? '';
}

/** Nothing if there is no text. */
export function renderComment(paragraphs: readonly string[], indent = ''): string {
  const lines = paragraphs
    .filter((text) => text !== '')
    .flatMap((text) => text.split('\n'))
    .flatMap((line) => wrap(line.replaceAll('*/', '*\\/'), 116 - indent.length));
  if (lines.length === 0) return '';
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} *${line === '' ? '' : ` ${line}`}\n`).join('')}${indent} */\n`;
}

export function wrap(text: string, width: number): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last !== '' && last.length + word.length >= width) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines;
}
