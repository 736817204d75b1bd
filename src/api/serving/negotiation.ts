import type { AcceptedCodings } from '../../base/system/compression.ts';
import { nameSnapshot } from '../../base/version.ts';
import type { FileFormat } from '../../exports/results/formats.ts';
import { codedTag } from '../../http/reply.ts';

/** Which form of a reply the headers of a request select: a format (`Accept`), or no body because the client has the reply (`If-None-Match`). */

export type ReplyFormat = 'json' | FileFormat;

/** What the media types in `Accept` select. Results are sent as `application/x-ndjson` under either of its two names. */
const MEDIA_TYPES: Readonly<Record<string, ReplyFormat | 'others'>> = {
  'application/json': 'json',
  'text/csv': 'csv',
  'application/x-ndjson': 'ndjson',
  'application/ndjson': 'ndjson',
  'application/*': 'others',
  '*/*': 'others',
};

export const FILE_TYPES = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const;

/** Whether `Accept` names a file format at all, found without parsing the header: nearly all requests do not. */
const NAMES_FILE = /csv|ndjson/i;

/**
 * The format that `Accept` prefers (RFC 9110, 12.5.1). A file format has to be named. In all other cases the format is JSON: without the header, for
 * wildcards, for types that we do not have, and if `application/json` is named with the weight of the file format.
 */
export function chooseFormat(accept: string | undefined): ReplyFormat {
  if (accept === undefined || !NAMES_FILE.test(accept)) return 'json';
  const weights = { json: -1, csv: 0, ndjson: 0, others: 0 };
  for (const range of accept.toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    const format = MEDIA_TYPES[type];
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
    if (format !== undefined) weights[format] = Math.max(weights[format], WEIGHT.test(weight) ? Number(weight) : 0);
  }
  const { json, csv, ndjson, others } = weights;
  const best = Math.max(csv, ndjson);
  if (best === 0 || json >= best || (json === -1 && others > best)) return 'json';
  return csv === best ? 'csv' : 'ndjson';
}

const WEIGHT = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/**
 * Entity tags of data responses. The bytes of a response depend only on the URL, the version of the program, the version of the data, the
 * format and the content coding, so these five make a strong tag. The version of a list that changes with time also names its state. Two
 * spellings of a URL have different tags, because the tag is made from the URL as it was sent.
 */
export function entityTag(serviceVersion: string, dataVersion: string, url: string, format: ReplyFormat): string {
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
 * The tag of the current response that `If-None-Match` names, in any coding that the client accepts. The coding need not be the preferred one,
 * because the client already has the response. The header is a list, compared weakly (RFC 9110, 13.1.2). Malformed tags match nothing, so that the
 * client gets the full response.
 */
export function findNamedTag(ifNoneMatch: string, tag: string, codings: AcceptedCodings): string | undefined {
  const named: readonly string[] = ifNoneMatch.match(TAGS) ?? [];
  if (codings.acceptsPlain && named.includes(tag)) return tag;
  return codings.accepted.map((coding) => codedTag(tag, coding)).find((coded) => named.includes(coded));
}

/** Whether `If-None-Match` names the tag of a response that is never compressed. */
export function namesTag(ifNoneMatch: string | undefined, tag: string): boolean {
  return ifNoneMatch?.match(TAGS)?.includes(tag) === true;
}

/** Matches tags without the prefix `W/`, which a weak comparison ignores. */
const TAGS = /"[^"]*"/g;
