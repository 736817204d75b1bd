import { formatCount } from '../../core/format-count.ts';
import type { ExportResult } from '../../exports/export.ts';
import type { RemovedExport } from '../../exports/folder.ts';
import { datasetOf } from '../../exports/manifest.ts';
import { formatSize } from '../../terminal/progress.ts';
import { renderTable } from '../../terminal/table.ts';

/** The result for programs. The manifest has the rest. */
export function describeResult(
  { isNew, folder, manifest, keptFiles }: ExportResult,
  removed: readonly RemovedExport[],
) {
  const { format, generation, rows, leftOut, files } = manifest;
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return { isNew, folder, format, generation, rows, bytes, files: files.length, keptFiles, leftOut, removed };
}

export function renderExport(result: ExportResult, removed: readonly RemovedExport[], seconds: number): string {
  const { manifest, folder, isNew } = result;
  const { leftOut, generation, rows, files } = manifest;
  const what = datasetOf(manifest.format);
  const byCountry = Map.groupBy(files, ({ country }) => country);
  const table = renderTable(
    ['COUNTRY', what.toUpperCase(), 'FILES', 'SIZE'],
    [...byCountry].map(([country, parts]) => [
      country,
      sumOf(parts, 'rows'),
      parts.length,
      formatSize(sumOf(parts, 'bytes')),
    ]),
  );
  const notes = removed.map(({ generation, format, wasComplete }) => {
    return `Removed the ${wasComplete ? '' : 'unfinished '}${format} export of generation ${generation}.\n`;
  });
  if (leftOut.length > 0) {
    notes.push(
      `Left out, because the licence is unknown: ${leftOut.join(', ')}. Use --include-unknown-licences to include them.\n`,
    );
  }
  const size = formatSize(sumOf(files, 'bytes'));
  const summary = isNew
    ? `Exported ${formatCount(rows)} ${what} of generation ${generation} in ${seconds.toFixed(1)} s, ${size}: ${folder}\n`
    : `This export exists already, nothing was written: ${folder}\n`;
  return `${table}${notes.join('')}${summary}`;
}

function sumOf<K extends 'rows' | 'bytes'>(files: readonly Readonly<Record<K, number>>[], key: K): number {
  return files.reduce((sum, file) => sum + file[key], 0);
}
