/** What identifies the data of a store: a copy of it has the same, any other import another. */
export function describeVersion(generation: number, publishedAt: number | null): string {
  return `${generation}-${(publishedAt ?? 0).toString(36)}`;
}
