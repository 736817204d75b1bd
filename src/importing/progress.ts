import type { Part } from './reading/part.ts';

export interface Progress {
  /** After the last row, companies that the files lack are delisted, and the changes are committed. */
  readonly phase: 'reading' | 'publishing';
  readonly rows: number;
  readonly bytes: number;
  readonly totalBytes: number;
}

/** Counts the bytes of all parts of an import. */
export function createProgress(parts: readonly Pick<Part, 'size'>[], onProgress?: (progress: Progress) => void) {
  const totalBytes = parts.reduce((sum, { size }) => sum + size, 0);
  let finishedParts = 0;
  let currentPart = 0;
  return {
    onBytes(count: number) {
      // The count restarts at 0 for each part.
      if (count < currentPart) finishedParts += currentPart;
      currentPart = count;
    },
    report: (rows: number, phase: Progress['phase'] = 'reading') =>
      onProgress?.({ phase, rows, bytes: finishedParts + currentPart, totalBytes }),
  };
}
