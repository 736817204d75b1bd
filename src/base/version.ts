/** Identifies the data of a store. A copy of the store has the same version; every import changes the version. */
export function describeVersion(generation: number, publishedAt: number | null): string {
  return `${generation}-${(publishedAt ?? 0).toString(36)}`;
}

/** Names a snapshot for clients. A release may change what a query finds, so the program's version is part of the name. */
export function nameSnapshot(serviceVersion: string, dataVersion: string): string {
  return `${serviceVersion}.${dataVersion}`;
}

/** The version of the data in the name of a snapshot. Undefined if the text is not such a name. */
export function parseSnapshot(text: string): string | undefined {
  return SNAPSHOT.exec(text)?.[1];
}

/** The format of `describeVersion`, as a regular expression. At most 15 digits, so that every number is exact. */
export const VERSION_FORMAT = '(?:0|[1-9]\\d{0,14})-(?:0|[1-9a-z][0-9a-z]{0,9})';
const SNAPSHOT = new RegExp(`^[\\w.+-]+\\.(${VERSION_FORMAT})$`);

/** The parts of a version. `publishedAt` is 0 if nothing has been published. */
export function parseVersion(version: string): { readonly generation: number; readonly publishedAt: number } {
  const [generation = '', publishedAt = ''] = version.split('-');
  return { generation: Number(generation), publishedAt: Number.parseInt(publishedAt, 36) };
}
