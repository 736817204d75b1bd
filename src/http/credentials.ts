import type { IncomingHttpHeaders } from 'node:http';

/** The token of an `Authorization: Bearer` header; undefined if the header is missing or has another scheme. */
export function readBearer(authorization: string | undefined): string | undefined {
  return /^bearer +(\S.*)$/i.exec(authorization ?? '')?.[1]?.trim();
}

/** The API key: the `X-API-Key` header or, without one, the bearer token. */
export function readApiKey(headers: IncomingHttpHeaders): string | undefined {
  return String(headers['x-api-key'] ?? '').trim() || readBearer(headers.authorization);
}
