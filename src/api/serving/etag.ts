import type { AcceptedCodings } from '../../base/system/compression.ts';
import { nameSnapshot } from '../../base/version.ts';
import { codedTag } from '../../http/reply.ts';
import type { ReplyFormat } from './accept.ts';

/**
 * Entity tags of data responses. The bytes of a response depend only on the URL, the version of the program, the version of the data, the
 * format and the content coding, so these five make a strong tag. The version of a list that changes with time also names its state. Two
 * spellings of a URL have different tags, because the tag is made from the URL as it was sent.
 */
export function entityTag(
  serviceVersion: string,
  dataVersion: string,
  url: string,
  format: ReplyFormat = 'json',
): string {
  const suffix = format === 'json' ? '' : `.${format}`;
  return `"${nameSnapshot(serviceVersion, dataVersion)}.${hashUrl(url)}${suffix}"`;
}

/**
 * 64 bits, so that two URLs do not get the same tag by chance: two FNV-1a hashes with different parameters. A cryptographic hash
 * would take several times as long, and a client that finds two URLs with the same tag gains nothing by it.
 */
function hashUrl(url: string): string {
  let first = 0x811c9dc5;
  let second = 0x9747b28c;
  for (let index = 0; index < url.length; index++) {
    const unit = url.charCodeAt(index);
    first = Math.imul(first ^ unit, 0x01000193);
    second = Math.imul(second ^ unit, 0x5bd1e995);
  }
  return `${first >>> 0}-${second >>> 0}`;
}

/** Whether `If-None-Match` matches any response. */
export function matchesAny(ifNoneMatch: string): boolean {
  return ifNoneMatch.trim() === '*';
}

/**
 * The tag of the current response that `If-None-Match` names, in any coding that the client accepts. It need not be the preferred one: the
 * client already has it. The header is a list, compared weakly (RFC 9110, 13.1.2). Malformed tags match nothing, so that the client gets
 * the full response.
 */
export function findNamedTag(ifNoneMatch: string, tag: string, codings: AcceptedCodings): string | undefined {
  const named: readonly string[] = ifNoneMatch.match(TAGS) ?? [];
  if (codings.acceptsPlain && named.includes(tag)) return tag;
  return codings.accepted.map((coding) => codedTag(tag, coding)).find((coded) => named.includes(coded));
}

/** Whether `If-None-Match` names this tag, of a response that is never compressed. */
export function namesTag(ifNoneMatch: string | undefined, tag: string): boolean {
  return ifNoneMatch?.match(TAGS)?.includes(tag) === true;
}

/** Leaves out the prefix `W/`, which a weak comparison ignores. */
const TAGS = /"[^"]*"/g;
