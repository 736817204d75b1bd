import { hash, randomUUID } from 'node:crypto';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** A client's own request id is kept only if it is a uuid: anything else could forge log lines or headers. */
export function takeRequestId(offered: string | string[] | undefined): string {
  return typeof offered === 'string' && isUuid(offered) ? offered.toLowerCase() : randomUUID();
}

/** Namespace of entity ids; part of every id ever given out, so it never changes. */
const ENTITY_NAMESPACE = Buffer.from('f1f2a6c0e2a14c0f9d6d5a1e7b3c8d90', 'hex').toString('latin1');

/** UUIDv5 of a name: the same on every installation and after every import. */
export function nameUuid(name: string): string {
  const bytes = Buffer.from(ENTITY_NAMESPACE + Buffer.from(name, 'utf8').toString('latin1'), 'latin1');
  const hex = hash('sha1', bytes, 'hex');
  const variant = ((Number.parseInt(hex.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(18, 20)}-${hex.slice(20, 32)}`;
}
