/** Branches that the data of this folder does not take, and why. */
export interface Exception {
  readonly file: string;
  /** How the branch begins. All branches of the file if undefined. */
  readonly text?: string;
  /** The test that takes them; undefined if it would take a broken disk, other hardware or billions of texts. */
  readonly test: string | undefined;
}

const takenBy = (
  test: string | undefined,
  branches: Readonly<Record<string, readonly string[] | 'all'>>,
): Exception[] =>
  Object.entries(branches).flatMap(([file, texts]): Exception[] =>
    texts === 'all' ? [{ file, test }] : texts.map((text) => ({ file, text, test })),
  );

export const exportExceptions: readonly Exception[] = takenBy(undefined, {
  // Other operating systems, and folders that somebody removes at the same moment.
  'folder.ts': ["&& error.code !== 'EEXIST'", "&& error.code !== 'ENOENT'", 'throw error;'],
});

/** Threads that crash or are closed while they work, files that are damaged, and stores that do not fit the journal. */
const BROKEN: readonly Exception[] = [
  ...takenBy('test/search/index-file.test.ts', { 'array-file.ts': 'all' }),
  ...takenBy('test/search/overlay-file.test.ts', { 'overlay-file.ts': 'all' }),
  ...takenBy('test/search/memory-follow.test.ts', {
    'build-worker.ts': 'all',
    'builder.ts': 'all',
    'memory-search.ts': 'all',
    'update-worker.ts': 'all',
    'updater.ts': 'all',
  }),
  ...takenBy('test/search/state-message.test.ts', { 'state-message.ts': 'all' }),
  ...takenBy('test/search/overlay-rebuild.test.ts', {
    'update/changes.ts': 'all',
    'update/find-documents.ts': 'all',
    'update/layout.ts': 'all',
    'update/update.ts': 'all',
  }),
];

/** Sizes that an ordinary test does not have: these tests lower the limits, or call the parts with such sizes. */
const LARGE: readonly Exception[] = [
  ...takenBy('test/search/build-parts.test.ts', {
    'build/cells.ts': 'all',
    'build/sort-by-keys.ts': 'all',
    'gaps.ts': 'all',
  }),
  ...takenBy('test/search/collector.test.ts', { 'collector.ts': 'all' }),
  ...takenBy('test/search/merge-policy.test.ts', { 'update/merge-policy.ts': ['return planCompaction', 'kept = at'] }),
  ...takenBy('test/search/result-cache.test.ts', { 'answer/result-cache.ts': ['return;'] }),
  ...takenBy('test/search/wide-offsets.test.ts', {
    'build/growing-arrays.ts': ['&& this.values instanceof Uint32Array', 'new Float64Array'],
    'shared-arrays.ts': ['new Float64Array', 'function limitShortOffsets'],
  }),
];

/** Not taken by any test. */
const NEVER: readonly Exception[] = takenBy(undefined, {
  // More than 65,000 different values, 134 million words, or 4 billion positions.
  'build/bridges.ts': ['new Float64Array'],
  'build/byte-table.ts': ['return false;', 'throw new Error('],
  'shared-arrays.ts': ['return sharedNumbers'],
  // The second thread of a build fails.
  'build/assistant-worker.ts': ['[]'],
  'build/build.ts': ['=> undefined'],
  // Required by types: two ids are never equal, and no text of a summary can be null. No document takes more than 1 GiB.
  'answer/page-writer.ts': ['return copy(none', 'throw error;'],
  'build/order.ts': ['return 0;'],
  // Every activity has a type.
  'build/rows/activity-rows.ts': ['return end - 1;'],
});

export const searchExceptions: readonly Exception[] = [...BROKEN, ...LARGE, ...NEVER];
