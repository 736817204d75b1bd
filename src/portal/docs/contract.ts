import { type DocsEntry, REFERENCE } from './library.ts';

/**
 * The contract as the API reference reads it: an OpenAPI document of our own, so only what ours contains.
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

interface JsonContent {
  readonly 'application/json': { readonly schema: Schema };
}

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
  /** What the contract says about HEAD, where it has an entry of its own. */
  readonly head?: ContractOperation;
}

/** The operations that users call, in the order of the tags. The payment provider calls the others. */
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

export function findSuccess({ responses }: ContractOperation): {
  readonly status: string;
  readonly response: Response;
} {
  const [found] = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  if (found === undefined) throw new Error('an operation has no successful response');
  return { status: found[0], response: found[1] };
}

/** The schema that a reference names. `null` as an alternative is dropped: `isNullable` says whether there is one. */
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

/** Operations that share a page of the reference. */
export interface OperationGroup extends DocsEntry {
  readonly description: string;
  /** Which operations belong to it, by their paths below `/api/v1/`. */
  readonly paths: RegExp;
}

/** In reading order. Every operation belongs to one of them. */
export const OPERATION_GROUPS: readonly OperationGroup[] = [
  group('search', 'Search', 'Find companies by name, number and filters.', /^(entities|countries)$/),
  group('records', 'Records', 'All that a register publishes about a company.', /^entities\/\{id\}$/),
  group(
    'parties',
    'Owners and holdings',
    'Who owns a company, and what it owns.',
    /^entities\/\{id\}\/(parties|owners|holdings)$/,
  ),
  group('match', 'Matching', 'The company that a name means, with reasons.', /^match$/),
  group('changes', 'Changes', 'What imports have changed.', /^(entities\/\{id\}\/)?changes$/),
  group('classifications', 'Classifications', 'Codes of industries and legal forms.', /^classifications/),
  group('exports', 'Exports', 'All companies as files, for paid plans.', /^exports/),
  group('monitors', 'Monitors', 'Companies whose changes you want to know.', /^monitors(\/\{id\})?$/),
  group(
    'monitor-changes',
    'Watched companies',
    'The companies of a monitor, and their changes.',
    /^monitors\/\{id\}\/./,
  ),
  group('webhooks', 'Webhooks', 'Where the events of monitors are sent to.', /^webhook-endpoints(\/\{id\})?$/),
  group('deliveries', 'Webhook deliveries', 'What was sent, and sending it again.', /^webhook-endpoints\/\{id\}\/./),
  group('account', 'Account', 'The signed-in developer account and its usage.', /^(account|auth)/),
  group('keys', 'Keys and links', 'Credentials for your programs.', /^(api-keys|reconcile-links)/),
  group('billing', 'Plans and billing', 'Paid plans, and pages to pay on.', /^(plans|billing)/),
  group('service', 'Contract and health', 'The contract, and probes for load balancers.', /^(openapi|health)/),
];

function group(slug: string, title: string, description: string, paths: RegExp): OperationGroup {
  return { title, address: `${REFERENCE.address}/${slug}`, description, paths };
}

export function isInGroup({ path }: Operation, { paths }: OperationGroup): boolean {
  return paths.test(path.replace('/api/v1/', ''));
}

export function operationAddress(operation: Operation): string {
  const found = OPERATION_GROUPS.find((each) => isInGroup(operation, each));
  if (found === undefined) throw new Error(`${operation.path} belongs to no group of the reference`);
  return `${found.address}#${operation.operationId}`;
}

/** The groups for the menu, and the operations of the one that is shown. */
export function listReferenceEntries(
  contract: ApiContract,
  current: string,
): (DocsEntry & { entries?: DocsEntry[] })[] {
  const entriesOf = (each: OperationGroup) =>
    listOperations(contract)
      .filter((operation) => isInGroup(operation, each))
      .map((operation) => ({ title: operation.summary, address: operationAddress(operation) }));
  return OPERATION_GROUPS.map((each) => ({
    title: each.title,
    address: each.address,
    ...(each.address === current && { entries: entriesOf(each) }),
  }));
}

/** Operations that users can try on a page: those that read JSON with an API key only. Those for sessions have pages of their own. */
export function isTriable(operation: Operation): boolean {
  const [type] = Object.keys(findSuccess(operation).response.content ?? {});
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
