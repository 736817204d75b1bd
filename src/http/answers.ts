import type { TSchema } from 'typebox';
import { defaultMessage, type ErrorCode, statusOf } from '../core/errors.ts';
import { ErrorResponse } from './schemas.ts';

/** One possible answer, in OpenAPI's own shape, which Fastify understands too. */
export interface Answer {
  readonly description: string;
  readonly headers: Readonly<Record<string, HeaderReference>>;
  readonly content?: Readonly<Record<string, { readonly schema: TSchema }>>;
  /** The codes this status can carry here; every reply in the tests is checked against them. */
  readonly 'x-error-codes'?: readonly ErrorCode[];
}

export interface HeaderReference {
  readonly $ref: string;
}

/** Headers that answers refer to by name. */
export const sharedHeaders = {
  'X-Request-ID': {
    description: 'Id of this request, for support.',
    required: true,
    schema: { type: 'string', format: 'uuid' },
  },
  'Retry-After': {
    description: 'Whole seconds to wait before trying again.',
    required: true,
    schema: { type: 'integer', minimum: 0 },
  },
  ETag: {
    description: 'Names these bytes; changes with every import. Send it back in `If-None-Match`.',
    required: true,
    schema: { type: 'string', examples: ['"0.1.0.12-mgx1k2j0"'] },
  },
} as const;

export type SharedHeader = keyof typeof sharedHeaders;

/** What the transport can answer to any request, before a route is asked. */
const always: readonly ErrorCode[] = [
  'invalid_request',
  'request_timeout',
  'uri_too_long',
  'headers_too_large',
  'internal_error',
];

/** A JSON answer. */
export function json(description: string, schema: TSchema, headers: readonly SharedHeader[] = []): Answer {
  return {
    description,
    headers: references(['X-Request-ID', ...headers]),
    content: { 'application/json': { schema } },
  };
}

/** An answer without a body. */
export function bare(description: string, headers: readonly SharedHeader[] = []): Answer {
  return { description, headers: references(['X-Request-ID', ...headers]) };
}

/** Every status a route can answer: its own, the error codes it throws, and those of the transport. */
export function answers(own: Readonly<Record<number, Answer>>, ...codes: ErrorCode[]): Record<number, Answer> {
  const byStatus = Map.groupBy([...new Set([...codes, ...always])], statusOf);
  const errors = [...byStatus].map(([status, group]) => [status, errorAnswer(group)] as const);
  return { ...Object.fromEntries(errors), ...own };
}

function errorAnswer(codes: readonly ErrorCode[]): Answer {
  const retry: SharedHeader[] = codes.some(comesWithRetryAfter) ? ['Retry-After'] : [];
  return {
    ...json(codes.map((code) => `\`${code}\`: ${defaultMessage(code)}`).join(' '), ErrorResponse, retry),
    'x-error-codes': codes,
  };
}

/** Codes for which waiting helps. */
export function comesWithRetryAfter(code: ErrorCode): boolean {
  return statusOf(code) === 429 || statusOf(code) === 503;
}

function references(headers: readonly SharedHeader[]): Record<string, HeaderReference> {
  return Object.fromEntries(headers.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
