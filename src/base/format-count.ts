/** Made once, because `toLocaleString` makes a new format per call. */
const numbers = new Intl.NumberFormat('en-US');

/** `1234567` → `1,234,567`, independent of the machine's locale. */
export function formatCount(count: number): string {
  return numbers.format(count);
}
