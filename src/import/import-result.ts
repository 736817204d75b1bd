import { formatCount } from '../base/format-count.ts';
import type { Register } from '../registers/contract.ts';
import type { ImportCounts, PublishedFile } from '../registry/records/imports/store.ts';
import type { UnknownValue } from '../registry/records/imports/unknown-values.ts';
import { type FileAge, isOlder } from './history.ts';
import { type Problem, Problems } from './mapping/problems.ts';
import type { Kept } from './rejected/rejected-rows.ts';
import type { Run } from './road.ts';

/** The outcome of an import, as `firmament import --json` prints it. */
export interface ImportResult {
  readonly register: string;
  readonly outcome: 'published' | 'unchanged' | 'dry-run';
  readonly mode: 'full' | 'partial';
  readonly generation: number | null;
  readonly files: ReadonlyArray<{ readonly name: string; readonly hash: string }>;
  /** Whether one of the files was generated: its companies are invented. */
  readonly synthetic: boolean;
  readonly counts: ImportCounts;
  /** Set if there were files of parties. */
  readonly parties?: PartyCounts;
  readonly unreadable: number;
  readonly withoutNumber: number;
  /** Rows that the register documents as not being companies, by reason. */
  readonly skipped: ReadonlyArray<{ readonly reason: string; readonly rows: number }>;
  readonly unknownColumns: readonly string[];
  /** Statuses, legal forms and activities that the register does not know, the most frequent first. */
  readonly unknownValues: readonly UnknownValue[];
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
}

/** What an import did with parties of companies. `removed`: a full import did not contain them. */
export interface PartyCounts extends Pick<ImportCounts, 'rows' | 'added' | 'changed' | 'unchanged' | 'duplicates'> {
  readonly removed: number;
}

/** What an import did, besides the values of its `Run`. */
interface Outcome {
  readonly dryRun: boolean;
  readonly generation: number;
  readonly files: readonly PublishedFile[];
  readonly counts: ImportCounts;
  readonly parties: PartyCounts | undefined;
  readonly bringsPersons: boolean;
  readonly age: FileAge;
  readonly kept: Kept;
}

export function describeResult(run: Run, outcome: Outcome): ImportResult {
  const { register, mode = 'full', jobs, problems, skippedEntries, missing } = run;
  const { dryRun, generation, files, counts, parties, bringsPersons, age, kept } = outcome;
  const synthetic = files.filter((file) => file.synthetic);
  const isPart = mode !== 'partial' && jobs.length > 0 && counts.rows < register.minimumRows;
  const warnings = [
    ...(bringsPersons ? [NAMES_PERSONS] : []),
    ...synthetic.map(({ name }) => `${name} is synthetic: its companies are invented, and their provenance says so`),
    ...(isOlder(age)
      ? [`the files are of ${age.given}, older than those of ${age.held} that were imported before`]
      : []),
    ...(isPart ? [describeFewRows(counts.rows, register)] : []),
    ...kept.notes,
    ...skippedEntries,
    ...missing,
    ...Array.from(problems.unmatched, ([table, count]) => {
      return `skipped ${formatRows(count)} of "${table}" without a matching record`;
    }),
  ];
  return {
    ...{ register: register.id, outcome: dryRun ? 'dry-run' : 'published', mode },
    generation: dryRun ? null : generation,
    files: files.map(({ name, hash }) => ({ name, hash })),
    synthetic: synthetic.length > 0,
    counts,
    ...(parties && { parties }),
    ...describeProblems(problems),
    warnings,
  };
}

const NAMES_PERSONS =
  'the files name natural persons, who are now stored and shown as published. What the law may ask of you, and how to leave them out ' +
  '(PARTIES): docs/natural-persons.md';

/** The result when the same files were imported last. */
export function describeUnchanged(
  { register, mode = 'full' }: Pick<Run, 'register' | 'mode'>,
  files: ImportResult['files'],
): ImportResult {
  return {
    ...{ register: register.id, outcome: 'unchanged', mode, generation: null },
    files: files.map(({ name, hash }) => ({ name, hash })),
    synthetic: false,
    counts: { rows: 0, added: 0, changed: 0, unchanged: 0, delisted: 0, duplicates: 0, rejected: 0, skipped: 0 },
    ...describeProblems(new Problems()),
    warnings: [],
  };
}

function describeProblems(problems: Problems) {
  const { unreadable, withoutNumber, skipped, unknownColumns, first } = problems;
  return {
    ...{ unreadable, withoutNumber, skipped: Array.from(skipped, ([reason, rows]) => ({ reason, rows })) },
    ...{ unknownColumns: [...unknownColumns], unknownValues: problems.listUnknownValues(), problems: first },
  };
}

function describeFewRows(rows: number, { minimumRows }: Register): string {
  return `${formatRows(rows)}, but a complete file has at least ${formatCount(minimumRows)}: is this a partial file?`;
}

function formatRows(count: number): string {
  return count === 1 ? '1 row' : `${formatCount(count)} rows`;
}
