/** Identifies the data of a store. A copy has the same version; every import changes it. */
export function describeVersion(generation: number, publishedAt: number | null): string {
  return `${generation}-${(publishedAt ?? 0).toString(36)}`;
}

/** The parts of a version. `publishedAt` is 0 if nothing has been published. */
export function parseVersion(version: string): { readonly generation: number; readonly publishedAt: number } {
  const [generation = '', publishedAt = ''] = version.split('-');
  return { generation: Number(generation), publishedAt: Number.parseInt(publishedAt, 36) };
}
