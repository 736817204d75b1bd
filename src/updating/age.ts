import { type FileAge, isOlder } from '../registry/file-age.ts';
import type { KeptFile } from '../sources/state.ts';

/**
 * Says why files are refused as older than the imported ones, or null. The days of the files decide; where one is unknown, the
 * times of the last change that the publisher's server reports. `held` has the hashes of the imported files.
 */
export function refuseOlder(
  files: readonly KeptFile[],
  kept: readonly KeptFile[],
  held: ReadonlySet<string>,
): (days: FileAge) => string | null {
  const older = findOlderFile(files, kept, held);
  return (days) => {
    if (isOlder(days)) return `the publisher offers files of ${days.given}, but files of ${days.held} are imported`;
    const isKnown = days.given !== null && days.held !== null;
    return isKnown || older === undefined ? null : older;
  };
}

/**
 * A new file that the publisher's server says is older than the imported one, in words. Files are compared at the same address, or
 * if the publication is a single file: the files of a publication may have been changed at different times.
 */
function findOlderFile(
  files: readonly KeptFile[],
  kept: readonly KeptFile[],
  held: ReadonlySet<string>,
): string | undefined {
  const imported = kept.filter(({ hash }) => held.has(hash));
  for (const file of files) {
    if (held.has(file.hash)) continue;
    const known = files.length === 1 ? imported : imported.filter(({ url }) => url === file.url);
    const newest = Math.max(...known.map(readModified).filter((time) => !Number.isNaN(time)));
    const given = readModified(file);
    if (given >= newest || Number.isNaN(given)) continue;
    return `the file ${file.name} was last changed at the publisher on ${formatTime(given)}, but the imported one on ${formatTime(newest)}`;
  }
  return undefined;
}

function readModified({ lastModified }: KeptFile): number {
  return Date.parse(lastModified ?? '');
}

function formatTime(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}
