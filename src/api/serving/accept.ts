import type { FileFormat } from '../../exports/results/formats.ts';

/** The format of a reply. */
export type ReplyFormat = 'json' | FileFormat;

/** Names of the formats in `Accept`. Results are sent as `application/x-ndjson` under either of its two names. */
const mediaTypes: ReadonlyMap<string, ReplyFormat> = new Map([
  ['application/json', 'json'],
  ['text/csv', 'csv'],
  ['application/x-ndjson', 'ndjson'],
  ['application/ndjson', 'ndjson'],
]);

/** The media types of the file formats, as the contract lists them. */
export const FILE_TYPES = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const;

/** Whether `Accept` names a file format at all, found without reading the header: nearly all requests do not. */
function mayWantFile(accept: string | undefined): boolean {
  return accept !== undefined && NAMES_FILE.test(accept);
}

const NAMES_FILE = /csv|ndjson/i;

/**
 * The format that `Accept` prefers (RFC 9110, 12.5.1). A file format has to be named. JSON is the answer to everything else: to no
 * header, to wildcards, to types that we do not have, and if it has the same weight as the file by its own name.
 */
export function chooseFormat(accept: string | undefined): ReplyFormat {
  if (accept === undefined || !mayWantFile(accept)) return 'json';
  const weights = new Map<ReplyFormat, number>();
  let ofOthers = 0;
  for (const range of accept.split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const format = mediaTypes.get(type);
    const weight = readWeight(parameters);
    if (format !== undefined) weights.set(format, Math.max(weights.get(format) ?? 0, weight));
    else if (type === '*/*' || type === 'application/*') ofOthers = Math.max(ofOthers, weight);
  }
  const csv = weights.get('csv') ?? 0;
  const ndjson = weights.get('ndjson') ?? 0;
  const best = Math.max(csv, ndjson);
  const json = weights.get('json');
  if (best === 0 || (json ?? 0) >= best || (json === undefined && ofOthers > best)) return 'json';
  return csv === best ? 'csv' : 'ndjson';
}

/** 1 without a weight, 0 with an invalid one. */
function readWeight(parameters: readonly string[]): number {
  const given = parameters.find((parameter) => parameter.startsWith('q='));
  if (given === undefined) return 1;
  return WEIGHT.test(given) ? Number(given.slice(2)) : 0;
}

const WEIGHT = /^q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;
