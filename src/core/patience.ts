/**
 * Multiplies the times after which a request stops waiting for a database or a provider. Only tests change it: on a busy
 * machine, a slow answer is not an error.
 */
let factor = 1;

export function setPatience(value: number): void {
  factor = value;
}

export function patiently(ms: number): number {
  return ms * factor;
}
