import { type ApiContract, isNullable, type Operation, type Parameter, resolve, type Schema } from './contract.ts';

/** How many optional parameters a request shows. */
const SHOWN_PARAMETERS = 2;
/** Finds companies in another way than `q`, so both together would find few. */
const OTHER_SEARCH = 'words';

/** The example of a request, before it is written in a language. */
export interface ExampleRequest {
  readonly operationId: string;
  readonly method: string;
  /** With values for the parameters in the path. */
  readonly path: string;
  readonly pathParameters: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly credential: 'key' | 'session' | 'none';
}

export function makeExample(
  { operationId, method, path, parameters = [], security, requestBody }: Operation,
  contract: ApiContract,
): ExampleRequest {
  const inPath = parameters.filter((parameter) => parameter.in === 'path');
  const pathParameters = Object.fromEntries(inPath.map(({ name, schema }) => [name, exampleOf(schema, contract)]));
  return {
    operationId,
    method,
    path: path.replace(/\{(\w+)\}/g, (_, name) => encodeURI(String(pathParameters[name] ?? name))),
    pathParameters,
    query: chooseQuery(parameters),
    body: requestBody && exampleOf(requestBody.content['application/json'].schema, contract),
    credential: security.length === 0 ? 'none' : security.some((scheme) => 'apiKey' in scheme) ? 'key' : 'session',
  };
}

function chooseQuery(parameters: readonly Parameter[]): Record<string, unknown> {
  const shown = parameters.filter(
    ({ name, in: place, schema: { examples } }) => place === 'query' && examples !== undefined && name !== OTHER_SEARCH,
  );
  return Object.fromEntries(shown.slice(0, SHOWN_PARAMETERS).map(({ name, schema }) => [name, schema.examples?.[0]]));
}

export function writeCurl({ method, path, query, body, credential }: ExampleRequest, base: string): string {
  const parameters = new URLSearchParams(
    Object.entries(query).map(([name, value]) => [name, String(value)]),
  ).toString();
  const lines = [
    method === 'get' ? 'curl' : `curl -X ${method.toUpperCase()}`,
    ...{ key: ['-H "X-API-Key: $FIRMAMENT_KEY"'], session: ['-H "Authorization: Bearer $SESSION_TOKEN"'], none: [] }[
      credential
    ],
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d '${JSON.stringify(body)}'`]),
    `'${base}${path}${parameters && `?${parameters}`}'`,
  ];
  return lines.join(' \\\n  ').replace('curl \\\n  ', 'curl ');
}

/** With our client, whose methods have the names of the operations. */
export function writeTypeScript(
  { operationId, pathParameters, query, body, credential }: ExampleRequest,
  base: string,
): string {
  const options = [`url: '${base}'`];
  if (credential === 'key') options.push('key: process.env.FIRMAMENT_KEY');
  if (credential === 'session') options.push('session: process.env.SESSION_TOKEN');
  const parameters = { ...pathParameters, ...query };
  const isBesideBody = body !== undefined && Object.keys(parameters).length > 0;
  const given = isBesideBody ? { ...parameters, body } : (body ?? parameters);
  const argument = Object.keys(given as object).length === 0 ? '' : writeLiteral(given);
  return `import { createClient } from '@firmament/client';

const client = createClient({
  ${options.join(',\n  ')},
});
const reply = await client.${operationId}(${argument});
console.log(reply);`;
}

/** JSON without quotes around names, as programs write it. */
function writeLiteral(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(/^(\s*)"([A-Za-z_]\w*)":/gm, '$1$2:');
}

export function writePython({ method, path, query, body, credential }: ExampleRequest, base: string): string {
  const lines = [`"${base}${path}",`];
  if (Object.keys(query).length > 0) lines.push(`params=${JSON.stringify(query)},`);
  if (body !== undefined) lines.push(`json=${JSON.stringify(body)},`);
  if (credential === 'key') lines.push('headers={"X-API-Key": os.environ["FIRMAMENT_KEY"]},');
  if (credential === 'session') lines.push('headers={"Authorization": f"Bearer {os.environ[\'SESSION_TOKEN\']}"},');
  return `${credential === 'none' ? '' : 'import os\n'}import requests

response = requests.${method}(
    ${lines.join('\n    ')}
    timeout=30,
)
response.raise_for_status()
print(${method === 'delete' ? 'response.status_code' : 'response.json()'})`;
}

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
  // Most often there is none: a reason for a failure, a list of exceptions.
  if (isNullable(schema) && Object.keys(properties).length === 0) return null;
  if (value !== undefined) return value;
  if (values !== undefined) return values[0];
  if (rest.default !== undefined) return rest.default;
  if (type === 'array') return items === undefined ? [] : [exampleOf(items, contract)];
  if (type === 'object') {
    const shown = Object.entries(properties).filter(([name]) => required.includes(name));
    return Object.fromEntries(shown.map(([name, property]) => [name, exampleOf(property, contract)]));
  }
  if (type === 'boolean') return false;
  if (type === 'integer' || type === 'number') return rest.minimum ?? 0;
  return EXAMPLES[format ?? ''] ?? 'text';
}

const EXAMPLES: Readonly<Record<string, string>> = {
  uuid: 'd5563039-853c-5a0c-a623-fa282b839bef',
  date: '2026-09-01',
  'date-time': '2026-09-01T00:00:00.000Z',
  uri: 'https://example.com/',
  email: 'anna@example.com',
};
