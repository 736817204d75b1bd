/**
 * The contract as the API reference reads it: an OpenAPI document of our own, so only what ours contains. This folder owns what the
 * reference says about an operation: its request, its fields and its examples. `pages/reference.ts` shows it.
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

/** The response of a successful request. */
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
