// The parts of an OpenAPI 3.1 document that the contract check reads, and the resolution of references. What a client cannot notice
// (descriptions, examples, tags) is left out.

export type Schema = boolean | SchemaObject;

export interface SchemaObject {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly unevaluatedProperties?: Schema;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly 'x-error-codes'?: readonly string[];
  readonly [keyword: string]: unknown;
}

interface Reference {
  readonly $ref: string;
}

export type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

/** The common part of parameters and headers. */
export interface Carrier {
  readonly required?: boolean;
  readonly schema?: Schema;
  readonly content?: Content;
}

interface Parameter extends Carrier {
  readonly name: string;
  readonly in: string;
}

interface Body {
  readonly required?: boolean;
  readonly content?: Content;
}

export interface Response {
  readonly content?: Content;
  readonly headers?: Readonly<Record<string, Carrier | Reference>>;
  readonly 'x-error-codes'?: readonly string[];
}

/** One accepted combination of credentials: scheme name to scopes. `{}` means that none are required. */
type Credentials = Readonly<Record<string, readonly string[]>>;

interface SecurityScheme {
  readonly type: string;
  readonly scheme?: string;
  readonly in?: string;
  readonly name?: string;
}

export interface Operation {
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: Body | Reference;
  readonly responses?: Readonly<Record<string, Response | Reference>>;
  readonly security?: readonly Credentials[];
}

export const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;

export type PathItem = { readonly parameters?: readonly (Parameter | Reference)[] } & {
  readonly [method in (typeof METHODS)[number]]?: Operation;
};

export interface OpenApi {
  readonly paths?: Readonly<Record<string, PathItem>>;
  readonly security?: readonly Credentials[];
  readonly components?: {
    readonly schemas?: Readonly<Record<string, Schema>>;
    readonly securitySchemes?: Readonly<Record<string, SecurityScheme | Reference>>;
    readonly [kind: string]: unknown;
  };
}

/** Resolves `#/components/…`. A dangling reference is an error: comparing it as empty would hide a removal. */
export function followReference<Target>(document: OpenApi, reference: string): Target {
  let target: unknown = document;
  for (const step of reference.replace(/^#\//, '').split('/')) {
    const key = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
    target = typeof target === 'object' && target !== null ? (target as Record<string, unknown>)[key] : undefined;
  }
  if (target === undefined) throw new Error(`${reference} does not exist.`);
  return target as Target;
}

export function resolve<Target extends object>(document: OpenApi, value: Target | Reference): Target {
  return '$ref' in value ? resolve(document, followReference<Target | Reference>(document, value.$ref)) : value;
}
