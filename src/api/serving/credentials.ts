import type { IncomingHttpHeaders } from 'node:http';
import type { SecretCredential } from '../../accounts/charging/operation.ts';
import type { HttpRequest } from '../../http/request.ts';

/**
 * The token of an `Authorization: Bearer` header; undefined if the header is missing or has another scheme. Several headers arrive
 * joined with commas: then the whole text is returned, which is not a valid token or key.
 */
export function readBearer(authorization = ''): string | undefined {
  if (!/(?:^|, )bearer +\S/i.test(authorization)) return undefined;
  return /^bearer +(\S+)$/i.exec(authorization)?.[1] ?? authorization;
}

/** The API key: the `X-API-Key` header or, without one, the bearer token. */
function readApiKey(headers: IncomingHttpHeaders): string | undefined {
  return String(headers['x-api-key'] ?? '').trim() || readBearer(headers.authorization);
}

/** The reconcile link in the path or, in a path without one, the API key. */
export function readSecret({ params, headers, address }: HttpRequest): SecretCredential {
  const { link } = params as { readonly link?: string };
  if (link !== undefined) return { kind: 'link', secret: link, address };
  return { kind: 'key', secret: readApiKey(headers), address };
}
