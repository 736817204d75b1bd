import { hash } from 'node:crypto';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** Namespace of entity ids, which must never change: every published id depends on it. As ASCII, it is hashed with the name as one string. */
const ENTITY_NAMESPACE = 'FirmamentEntity!';

/** UUIDv5 of a name. A name has the same id on every installation and after every import. */
export function nameUuid(name: string): string {
  const hex = hash('sha1', ENTITY_NAMESPACE + name, 'hex');
  const variant = VARIANTS[Number.parseInt(hex[16] ?? '', 16) & 3];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

const VARIANTS = ['8', '9', 'a', 'b'];

export const DIGEST_LENGTH = 24;

/** A digest of 144 bits, so that two texts never have the same digest by accident. */
export function digest(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, DIGEST_LENGTH);
}
