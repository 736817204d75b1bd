export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [upper = 0, lower = upper] = [sorted[middle], sorted[sorted.length % 2 === 0 ? middle - 1 : middle]];
  return (upper + lower) / 2;
}
