/** Identifies the data of a store. A copy has the same version; every import changes it. */
export function describeVersion(generation: number, publishedAt: number | null): string {
  return `${generation}-${(publishedAt ?? 0).toString(36)}`;
}
