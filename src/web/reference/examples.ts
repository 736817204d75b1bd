import { type ApiContract, isNullable, type Operation, type Parameter, resolve, type Schema } from './contract.ts';

/** A value that a schema accepts, made of the examples in the contract. */
export function exampleOf(schema: Schema, contract: ApiContract): unknown {
  const {
    examples,
    const: value,
    enum: values,
    type,
    format,
    items,
    properties = {},
    required = [],
    ...rest
  } = resolve(schema, contract);
  if (examples?.[0] !== undefined) return examples[0];
  if (value !== undefined) return value;
  if (values !== undefined) return values[0];
  if (rest.default !== undefined) return rest.default;
  if (type === 'array') return items === undefined ? [] : [exampleOf(items, contract)];
  if (type === 'object') {
    const shown = Object.entries(properties).filter(([name]) => required.includes(name));
    return Object.fromEntries(shown.map(([name, property]) => [name, exampleOf(property, contract)]));
  }
  if (isNullable(schema)) return null;
  if (type === 'boolean') return false;
  if (type === 'integer' || type === 'number') return rest.minimum ?? 0;
  return EXAMPLES[format ?? ''] ?? 'text';
}

const EXAMPLES: Readonly<Record<string, string>> = {
  uuid: '8cfb7733-0cb1-511b-8310-bbbf2455fb10',
  date: '2026-09-01',
  'date-time': '2026-09-01T00:00:00.000Z',
  uri: 'https://example.com/',
  email: 'anna@example.com',
};

/** How many optional parameters a request shows. */
const SHOWN_PARAMETERS = 2;

/** The request as a `curl` command. */
export function writeCurl(
  { method, path, parameters = [], security, requestBody }: Operation,
  base: string,
  contract: ApiContract,
) {
  const address = path.replace(/\{(\w+)\}/g, (_, name) => {
    const parameter = parameters.find((candidate) => candidate.in === 'path' && candidate.name === name);
    return parameter === undefined ? name : encodeURI(String(exampleOf(parameter.schema, contract)));
  });
  const lines = [
    method === 'get' ? 'curl' : `curl -X ${method.toUpperCase()}`,
    ...writeCredentials(security),
    ...(requestBody ? writeBody(exampleOf(requestBody.content['application/json'].schema, contract)) : []),
    `'${base}${address}${writeQuery(parameters)}'`,
  ];
  return lines.join(' \\\n  ').replace('curl \\\n  ', 'curl ');
}

function writeCredentials(security: Operation['security']): string[] {
  if (security.some((scheme) => 'apiKey' in scheme)) return ['-H "X-API-Key: $FIRMAMENT_KEY"'];
  return security.length === 0 ? [] : ['-H "Authorization: Bearer $SESSION_TOKEN"'];
}

function writeBody(body: unknown): string[] {
  return [`-H 'Content-Type: application/json'`, `-d '${JSON.stringify(body)}'`];
}

function writeQuery(parameters: readonly Parameter[]): string {
  const shown = parameters
    .filter(({ in: place, schema: { examples } }) => place === 'query' && examples !== undefined)
    .slice(0, SHOWN_PARAMETERS);
  const query = new URLSearchParams(shown.map(({ name, schema }) => [name, String(schema.examples?.[0])]));
  return shown.length === 0 ? '' : `?${query}`;
}
