import { createHmac, timingSafeEqual } from 'node:crypto';

/** How far the time of signing may be from ours, so that a caught request cannot be sent again for ever. */
export const TOLERANCE_SECONDS = 300;

/**
 * Whether one of our secrets signed exactly these bytes, lately: `t=<seconds>,v1=<hex>[,v1=<hex>…]`, each `v1` an HMAC-SHA256
 * over `<t>.<body>`. While the provider rotates a secret there are several signatures, while we do several secrets; any pair
 * will do. Every pair is compared in the same time, whichever fits.
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
  let fits = false;
  for (const secret of secrets) {
    const expected = createHmac('sha256', secret).update(`${given.time}.`).update(body).digest();
    for (const signature of given.signatures) if (timingSafeEqual(expected, signature)) fits = true;
  }
  return fits && isRecent;
}

interface SignatureHeader {
  /** As written: it is part of what was signed. */
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
