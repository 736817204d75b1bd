import { randomUUID } from 'node:crypto';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** A client's own request id is kept only if it is a uuid: anything else could forge log lines or headers. */
export function takeRequestId(offered: string | string[] | undefined): string {
  return typeof offered === 'string' && isUuid(offered) ? offered.toLowerCase() : randomUUID();
}
