import { type DocsEntry, REFERENCE } from './library.ts';

/**
 * The contract as the API reference reads it. These types cover only the parts of OpenAPI that our document uses.
 */
export interface ApiContract {
  readonly info: { readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, ContractOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly headers: Readonly<Record<string, { readonly description: string }>>;
  };
}

export interface ContractOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: JsonContent };
  readonly responses: Readonly<Record<string, Response>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

export interface Response {
  readonly description: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly content?: JsonContent;
  readonly 'x-error-codes'?: readonly string[];
}

type JsonContent = Readonly<Record<'application/json', { readonly schema: Schema }>>;

export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
}

export interface Operation extends ContractOperation {
  readonly method: string;
  readonly path: string;
  /** The HEAD operation, if the contract has an entry for it. */
  readonly head?: ContractOperation;
}

/** The operations that users call, in the order of the tags. The payment provider calls the other operations. */
export function listOperations({ paths, tags }: ApiContract): Operation[] {
  const operations = Object.entries(paths).flatMap(([path, { head, ...methods }]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method, path, ...(head && { head }) })),
  );
  const shown = operations.filter(({ security }) => !security.some((scheme) => 'signature' in scheme));
  return tags.flatMap(({ name }) => shown.filter(({ tags: [tag] }) => tag === name));
}

/** The error codes that every operation can answer with. */
export function listCommonErrors(operations: readonly Operation[]): string[] {
  const [first = [], ...others] = operations.map((operation) => listErrors(operation).map(({ code }) => code));
  return first.filter((code) => others.every((codes) => codes.includes(code)));
}

export function listErrors({ responses }: ContractOperation): { readonly status: string; readonly code: string }[] {
  return Object.entries(responses).flatMap(([status, { 'x-error-codes': codes = [] }]) =>
    codes.map((code) => ({ status, code })),
  );
}

export function findSuccess({ responses }: ContractOperation): readonly [status: string, response: Response] {
  const found = Object.entries(responses).find(([status]) => status.startsWith('2'));
  if (found === undefined) throw new Error('an operation has no successful response');
  return found;
}

/** The schema that a reference names. `null` as an alternative is dropped: see `isNullable`. */
export function resolve(schema: Schema, contract: ApiContract): Schema {
  if (schema.$ref !== undefined) {
    const target = contract.components.schemas[schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)];
    if (target === undefined) throw new Error(`the contract has no ${schema.$ref}`);
    return resolve(target, contract);
  }
  const alternative = schema.anyOf?.find(({ type }) => type !== 'null');
  return alternative === undefined ? schema : resolve(alternative, contract);
}

export function isNullable({ anyOf = [] }: Schema): boolean {
  return anyOf.some(({ type }) => type === 'null');
}

/** The groups of operations that share a page, in reading order: slug, title, description, paths below `/api/v1/`, and tags for other paths. */
const GROUPS: readonly (readonly [string, string, string, RegExp, (readonly string[])?])[] = [
  ['search', 'Search', 'Find companies by name, number and filters.', /^(entities|countries)$/],
  ['records', 'Records', 'All that a register publishes about a company.', /^entities\/\{id\}$/, ['Registry']],
  ['parties', 'Owners and holdings', 'Who owns a company, and what it owns.', /\/(parties|owners|holdings)$/],
  ['match', 'Matching', 'The company that a name means, with reasons.', /^match$/],
  ['changes', 'Changes', 'What imports have changed.', /^(entities\/\{id\}\/)?changes$/],
  ['classifications', 'Classifications', 'Codes of industries and legal forms.', /^classifications/],
  ['exports', 'Exports', 'All companies as files, for paid plans.', /^exports/],
  ['monitors', 'Monitors', 'Companies whose changes you want to know.', /^monitors(\/\{id\})?$/, ['Monitors']],
  ['monitor-changes', 'Watched companies', 'The companies of a monitor, and their changes.', /^monitors\/\{id\}\/./],
  ['webhooks', 'Webhooks', 'Where the events of monitors are sent to.', /^webhook-\w+(\/\{id\})?$/, ['Webhooks']],
  ['deliveries', 'Webhook deliveries', 'What was sent, and sending it again.', /^webhook-endpoints\/\{id\}\/./],
  ['account', 'Account', 'The signed-in developer account and its usage.', /^(account|auth)/, ['Account']],
  ['keys', 'Keys and links', 'Credentials for your programs.', /^(api-keys|reconcile-links)/],
  ['billing', 'Plans and billing', 'Paid plans, and pages to pay on.', /^(plans|billing)/, ['Billing']],
  ['service', 'Contract and health', 'The contract, and probes.', /^(openapi|health)/, ['Public', 'Health']],
];

/** Every operation belongs to one group. */
export const OPERATION_GROUPS = GROUPS.map(([slug, title, description, paths, tags = []]) => ({
  title,
  address: `${REFERENCE.address}/${slug}`,
  description,
  paths,
  tags,
}));
export type OperationGroup = (typeof OPERATION_GROUPS)[number];

export function findGroup({ path, tags: [tag = ''] }: Pick<Operation, 'path' | 'tags'>): OperationGroup | undefined {
  const named = OPERATION_GROUPS.find(({ paths }) => paths.test(path.replace('/api/v1/', '')));
  return named ?? OPERATION_GROUPS.find(({ tags }) => tags.includes(tag));
}

export function operationAddress(operation: Operation): string {
  return `${findGroup(operation)?.address}#${operation.operationId}`;
}

/** The groups for the menu, and the operations of the shown group. */
export function listReferenceEntries(contract: ApiContract, current: string): DocsEntry[] {
  const entries = listOperations(contract)
    .filter((operation) => findGroup(operation)?.address === current)
    .map((operation) => ({ title: operation.summary, address: operationAddress(operation) }));
  return OPERATION_GROUPS.map(({ title, address }) => ({ title, address, ...(address === current && { entries }) }));
}

/** Whether users can try an operation on a page: it returns JSON and takes an API key. Operations that take sessions have their own pages. */
export function isTriable(operation: Operation): boolean {
  const [, { content = {} }] = findSuccess(operation);
  const [type] = Object.keys(content);
  const takes = (name: string) => operation.security.some((scheme) => name in scheme);
  return operation.method === 'get' && takes('apiKey') && !takes('session') && type === 'application/json';
}

/** Whether a browser can open the operation itself: it needs no credentials and no parameters. */
export function isOpenable({ method, security, parameters = [] }: Operation): boolean {
  return method === 'get' && parameters.length === 0 && security.length === 0;
}

export function listFormParameters({ parameters = [] }: Operation): readonly Parameter[] {
  return parameters.filter((parameter) => parameter.in !== 'header');
}

export function tryAddress(operationId: string): string {
  return `/docs/try/${operationId}`;
}

export function requestPath({ path, parameters = [] }: Operation, values: Readonly<Record<string, string>>): string {
  const inQuery = parameters.filter(({ in: place, name }) => place === 'query' && values[name] !== undefined);
  const query = new URLSearchParams(inQuery.map(({ name }) => [name, values[name] ?? ''])).toString();
  return path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name] ?? '')) + (query && `?${query}`);
}

/** The number of optional parameters in the example of a request. */
const SHOWN_PARAMETERS = 2;
/** The other search parameter besides `q`. An example with both parameters would find few companies. */
const OTHER_SEARCH = 'words';

/** An example of a request, independent of a programming language. */
export type ExampleRequest = ReturnType<typeof makeExample>;

export function makeExample(operation: Operation, contract: ApiContract) {
  const { operationId, method, path, parameters = [], security, requestBody } = operation;
  const takes = (name: string) => security.some((scheme) => name in scheme);
  const valuesOf = (chosen: readonly Parameter[]): Readonly<Record<string, unknown>> =>
    Object.fromEntries(chosen.map(({ name, schema }) => [name, exampleOf(schema, contract)]));
  const pathParameters = valuesOf(parameters.filter((parameter) => parameter.in === 'path'));
  const optional = parameters.filter(
    (parameter) => parameter.in === 'query' && parameter.schema.examples && parameter.name !== OTHER_SEARCH,
  );
  return {
    operationId,
    method,
    /** The path, with values for its parameters. */
    path: path.replace(/\{(\w+)\}/g, (_, name) => encodeURI(String(pathParameters[name] ?? name))),
    pathParameters,
    query: valuesOf(optional.slice(0, SHOWN_PARAMETERS)),
    body: requestBody && exampleOf(requestBody.content['application/json'].schema, contract),
    credential: takes('apiKey') ? ('key' as const) : security.length > 0 && ('session' as const),
  };
}

export function writeCurl({ method, path, query, body, credential }: ExampleRequest, base: string): string {
  const parameters = new URLSearchParams(query as Record<string, string>).toString();
  const header = credential === 'key' ? 'X-API-Key: $FIRMAMENT_KEY' : 'Authorization: Bearer $SESSION_TOKEN';
  const options = [
    ...(method === 'get' ? [] : [`-X ${method.toUpperCase()}`]),
    ...(credential ? [`-H "${header}"`] : []),
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d '${JSON.stringify(body)}'`]),
    `'${base}${path}${parameters && `?${parameters}`}'`,
  ];
  return `curl ${options.join(' \\\n  ')}`;
}

/** Writes an example for our client, whose methods have the names of the operations. */
export function writeTypeScript(
  { operationId, pathParameters, query, body, credential }: Omit<ExampleRequest, 'method' | 'path'>,
  base: string,
): string {
  const secret = credential === 'key' ? 'key: process.env.FIRMAMENT_KEY' : 'session: process.env.SESSION_TOKEN';
  const parameters = { ...pathParameters, ...query };
  const isBesideBody = body !== undefined && Object.keys(parameters).length > 0;
  const given = isBesideBody ? { ...parameters, body } : (body ?? parameters);
  const argument = Object.keys(given as object).length === 0 ? '' : JSON.stringify(given, null, 2);
  return `import { createClient } from '@firmament/client';

const client = createClient({
  url: '${base}',${credential ? `\n  ${secret},` : ''}
});
const reply = await client.${operationId}(${argument.replace(QUOTED_NAMES, '$1$2:')});
console.log(reply);`;
}

/** Names in JSON, which need no quotes in a program. */
const QUOTED_NAMES = /^(\s*)"([A-Za-z_]\w*)":/gm;

export function writePython({ method, path, query, body, credential }: ExampleRequest, base: string): string {
  const lines = [
    `"${base}${path}",`,
    Object.keys(query).length > 0 && `params=${JSON.stringify(query)},`,
    body !== undefined && `json=${JSON.stringify(body)},`,
    credential === 'key' && 'headers={"X-API-Key": os.environ["FIRMAMENT_KEY"]},',
    credential === 'session' && 'headers={"Authorization": f"Bearer {os.environ[\'SESSION_TOKEN\']}"},',
    'timeout=30,',
  ];
  return `${credential ? 'import os\n' : ''}import requests

response = requests.${method}(
    ${lines.filter((line) => line !== false).join('\n    ')}
)
response.raise_for_status()
print(${method === 'delete' ? 'response.status_code' : 'response.json()'})`;
}

/** A value that a schema accepts, composed of the examples in the contract. */
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
  // Such a value is usually null: a reason for a failure, a list of exceptions.
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
