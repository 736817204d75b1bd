/**
 * Validators of data replies. A reply is made by this version of the program from one version of the data and depends on
 * nothing else, so the two name its bytes: a strong tag.
 */
export function entityTag(serviceVersion: string, dataVersion: string): string {
  return `"${serviceVersion}.${dataVersion}"`;
}

/**
 * Whether `If-None-Match` names the tag: a list, compared weakly (RFC 9110, 13.1.2), or `*` for anything. What is not
 * a tag matches nothing, and the client gets the whole reply.
 */
export function namesTag(ifNoneMatch: string, tag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.match(TAGS)?.includes(tag) ?? false;
}

/** Without the `W/` in front, which a weak comparison ignores. */
const TAGS = /"[^"]*"/g;
