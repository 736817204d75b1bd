import type { TSchema } from 'typebox';
import type { HttpReply } from './reply.ts';
import type { HttpRequest, RequestParts } from './request.ts';

/** A row of the table of all routes. The router and CORS read this table. */
export interface Route {
  readonly method: Method;
  /** Parameters are written as `:id`, and `*` is the rest of the path. */
  readonly url: string;
  /** The route's part of the contract. A route without it, such as a page, is not part of the API. */
  readonly operation?: Operation;
  /** How bodies are read, by media type in lower case; `*` stands for any type, even a malformed one. */
  readonly bodies?: BodyReaders | undefined;
  readonly bodyLimit?: number;
  /** Whether the handler reads the body and writes the reply itself. */
  readonly takesOver?: true;
  /** Headers of all replies of this route, in addition to those of every reply. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether GET is registered without HEAD. */
  readonly withoutHead?: true;
  /** Steps before the body is read, such as the check of the credential. A step that replies ends the request. */
  readonly before?: readonly Step[];
  /** Returns the reply, or a value to send as JSON, or undefined if it finishes the reply itself. */
  handler(request: HttpRequest, reply: HttpReply): unknown;
}

export type Method = (typeof METHODS)[number];
export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

export type BodyReaders = Readonly<Record<string, (bytes: Buffer, request: HttpRequest) => unknown>>;
export type Step = (request: HttpRequest, reply: HttpReply) => unknown;
export type Handler<Parts extends RequestParts = RequestParts> = (
  request: HttpRequest<Parts>,
  reply: HttpReply,
) => unknown;
export type RouteOptions = Omit<Route, 'method' | 'url' | 'handler'>;

/** The credential that an operation requires; `account` is an API key or a session. */
export type RequiredCredential = 'none' | 'key' | 'session' | 'account' | 'signature';

export interface Operation {
  readonly operationId: string;
  readonly tag: 'Registry' | 'Account' | 'Monitors' | 'Webhooks' | 'Billing' | 'Public' | 'Health';
  readonly summary: string;
  readonly description?: string | undefined;
  readonly credential: RequiredCredential;
  /** For health probes, whose callers may add parameters. Every other operation rejects parameters it does not declare. */
  readonly ignoresQuery?: boolean;
  /** Answers before the databases are migrated. Every other operation answers `service_unavailable` until then. */
  readonly needsNoData?: boolean;
  /** Pages of all origins may read the replies, because the protocol demands it. Cookies are not accepted. */
  readonly isOpenToPages?: true;
  /** Whether the operation is left out of the contract, because another protocol describes it. */
  readonly isOutsideContract?: true;
  /** Schema of a body that the handler receives as bytes. The contract publishes this schema, but requests are not validated by it. */
  readonly rawBody?: TSchema;
}
