import type { Schema } from './schema-types.ts';

/** The parts of the contract that the client is generated from. */
export interface Contract {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ContractOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface ContractOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, ContractResponse>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

interface ContractResponse {
  readonly description: string;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
  readonly 'x-error-codes'?: readonly string[];
}

export interface FoundOperation extends ContractOperation {
  readonly method: string;
  readonly path: string;
}

/** Operations for callers of the API. HEAD is a matter of caches and proxies, and a signature that of the payment provider. */
export function listOperations({ paths }: Contract): FoundOperation[] {
  return Object.entries(paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
    )
    .filter(({ method, security }) => method !== 'HEAD' && !security.some((option) => 'signature' in option));
}

export interface FoundError {
  readonly code: string;
  readonly status: number;
  readonly message: string;
}

/** Every error code that an operation declares, once, sorted by status and code. */
export function listErrors(contract: Contract): FoundError[] {
  const found = new Map<string, FoundError>();
  for (const { responses } of listOperations(contract)) {
    for (const [status, { description, 'x-error-codes': codes = [] }] of Object.entries(responses)) {
      for (const code of codes) {
        const [, message = ''] = new RegExp(`\`${code}\`: (.*?)(?= \`\\w+\`: |$)`).exec(description) ?? [];
        found.set(code, { code, status: Number(status), message });
      }
    }
  }
  return [...found.values()].sort((a, b) => a.status - b.status || (a.code < b.code ? -1 : 1));
}
