/** The date in the name of a file, or of its first entry that has one. Null if there is none, or if a name has different dates. */
export function findDay(names: readonly string[]): string | null {
  for (const name of names) {
    const days = new Set(listDays(name));
    const [day] = days;
    if (day !== undefined) return days.size === 1 ? day : null;
  }
  return null;
}

/** `2026-09-01`, `2026_09_01`, `2026.09.01`, `20260901`, and the same with the day first if there are separators. */
const YEAR_FIRST = /(?<!\d)(\d{4})([-_.]?)(\d{2})\2(\d{2})(?!\d)/g;
const DAY_FIRST = /(?<!\d)(\d{2})([-_.])(\d{2})\2(\d{4})(?!\d)/g;

function listDays(name: string): string[] {
  return [
    ...Array.from(name.matchAll(YEAR_FIRST), ([, year, , month, day]) => `${year}-${month}-${day}`),
    ...Array.from(name.matchAll(DAY_FIRST), ([, day, , month, year]) => `${year}-${month}-${day}`),
  ].filter(isDay);
}

function isDay(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  const isReal = !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
  return isReal && text >= '1990' && text < '2100';
}
