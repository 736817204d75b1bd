/**
 * Entity tags of data responses. For a URL, the bytes of a response depend only on the version of the program and the version of the
 * data, so these two make a strong tag.
 */
export function entityTag(serviceVersion: string, dataVersion: string): string {
  return `"${serviceVersion}.${dataVersion}"`;
}

/**
 * Whether `If-None-Match` contains the tag. The header is a list, compared weakly (RFC 9110, 13.1.2), or `*`, which matches any tag.
 * Malformed tags match nothing, so that the client gets the full response.
 */
export function namesTag(ifNoneMatch: string, tag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.match(TAGS)?.includes(tag) ?? false;
}

/** Leaves out the prefix `W/`, which a weak comparison ignores. */
const TAGS = /"[^"]*"/g;
