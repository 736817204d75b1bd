import { createHmac, timingSafeEqual } from 'node:crypto';

/** The maximum difference between the time of signing and our clock: limits how long a captured request can be replayed. */
export const TOLERANCE_SECONDS = 300;

/**
 * Checks the header `t=<seconds>,v1=<hex>[,v1=<hex>…]`, where each `v1` is an HMAC-SHA256 of `<t>.<body>`. During a
 * rotation the provider sends several signatures and we accept several secrets; one matching pair is enough. All pairs
 * are always compared, so the time taken does not reveal which one matched.
 */
export function isSigned(
  body: Uint8Array,
  header: string | undefined,
  secrets: readonly string[],
  nowMs: number,
): boolean {
  const given = header === undefined ? undefined : parseHeader(header);
  if (given === undefined) return false;
  const isRecent = Math.abs(Math.floor(nowMs / 1_000) - Number(given.time)) <= TOLERANCE_SECONDS;
  let matches = false;
  for (const secret of secrets) {
    const expected = createHmac('sha256', secret).update(`${given.time}.`).update(body).digest();
    for (const signature of given.signatures) if (timingSafeEqual(expected, signature)) matches = true;
  }
  return matches && isRecent;
}

interface SignatureHeader {
  /** The original text, which is part of the signed content. */
  readonly time: string;
  readonly signatures: readonly Buffer[];
}

function parseHeader(header: string): SignatureHeader | undefined {
  const parts = header.split(',').map((part) => part.trim());
  const values = (key: string) =>
    parts.flatMap((part) => (part.startsWith(`${key}=`) ? part.slice(key.length + 1) : []));
  const [time, ...otherTimes] = values('t');
  if (time === undefined || otherTimes.length > 0 || !/^\d{1,12}$/.test(time)) return undefined;
  const signatures = values('v1').filter((hex) => /^[0-9a-f]{64}$/i.test(hex));
  return signatures.length === 0 ? undefined : { time, signatures: signatures.map((hex) => Buffer.from(hex, 'hex')) };
}
