/** `1234567` → `1,234,567`, independent of the machine's locale. */
export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}
