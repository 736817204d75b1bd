import type { RowRange } from '../records/origins.ts';
import type { Register } from '../registers/contract.ts';
import type { Checks, ProofOutcome, ProvenFile } from './proof.ts';

/** An altered file comes first: what it says proves nothing. */
export function judge({ files, cells, fields, fieldsProblem }: Checks): ProofOutcome {
  const has = (state: ProvenFile['state']) => files.some((file) => file.state === state);
  if (has('altered')) return 'altered';
  const differs = (cells?.differ ?? 0) + (fields?.differ ?? 0) > 0;
  if (differs || fieldsProblem !== null || files.some(lacksRows)) return 'different';
  if (has('unreadable') || files.length === 0) return 'unverifiable';
  return has('not kept') ? 'not kept' : 'proven';
}

function lacksRows({ parts }: ProvenFile): boolean {
  return parts.some(({ content, rows, found }) => content !== 'codes' && found !== null && found !== countRows(rows));
}

export function countRows(rows: readonly RowRange[]): number {
  return rows.reduce((sum, { first, last }) => sum + last - first + 1, 0);
}

interface Subject {
  readonly synthetic: boolean;
  /** Undefined if the program no longer has it. */
  readonly register: Register | undefined;
  readonly checks: Checks;
}

/** The outcome in a few sentences: what it means and what to do. */
export function describeOutcome(outcome: ProofOutcome, subject: Subject): string {
  switch (outcome) {
    case 'proven':
      return describeProven(subject);
    case 'different':
      return describeDifferent(subject.checks);
    case 'altered':
      return describeAltered(subject.checks);
    case 'not kept':
      return describeNotKept(subject);
    case 'unverifiable':
      return describeUnverifiable(subject);
  }
}

function describeProven({ synthetic, checks: { cells } }: Subject): string {
  const withheld = cells?.withheld ?? [];
  const apart = withheld.length === 0 ? '' : `, apart from what is withheld: ${withheld.join('; ')}`;
  const proven = `Proven: the record is exactly what the original says${apart}.`;
  return synthetic ? `${proven} The original is synthetic: the company is invented.` : proven;
}

function describeDifferent({ cells, fields, fieldsProblem }: Checks): string {
  if ((cells?.differ ?? 0) > 0) {
    return 'Different: the record in the store is not what the original says. Restore a backup of the store, or import the files into an empty one.';
  }
  if (fieldsProblem !== null) {
    return `Different: the source agrees, but this version of Firmament reads no such record from it: ${fieldsProblem}.`;
  }
  if ((fields?.differ ?? 0) > 0) {
    return 'Different: the source agrees, but this version of Firmament reads other fields from it. Another version imported the record, or it was changed in the store. Import the files again with --again.';
  }
  return 'Different: the original does not have all rows that the record refers to.';
}

function describeAltered({ files }: Checks): string {
  const altered = files.filter(({ state }) => state === 'altered');
  const names = altered.map(({ file, problem }) => (problem === null ? file : `${file} (${problem})`)).join(', ');
  return `Altered: the hash of the kept file no longer agrees, so it proves nothing: ${names}. Name an unchanged copy with --file.`;
}

function describeNotKept({ synthetic, register, checks: { files } }: Subject): string {
  const missing = files.filter(({ state }) => state === 'not kept');
  const start = `Not kept: ${missing.map(({ file }) => file).join(', ')}.`;
  if (synthetic) {
    return `${start} The original is synthetic, and the company is invented: name the generated file with --file.`;
  }
  const addresses = [...new Set(missing.map(({ url }) => url))].join(', ');
  const steps = register?.fetch.kind === 'manual' ? ` ${register.fetch.steps.join(' ')}` : '';
  return `${start} Get the edition with the same hash from ${register?.publisher}, ${addresses}, and name it with --file.${steps}`;
}

function describeUnverifiable({ register, checks: { files } }: Subject): string {
  if (register === undefined)
    return 'Unverifiable: this version of Firmament does not have the register of the record.';
  if (files.length === 0) return 'Unverifiable: the store does not say which file the record was read from.';
  const problems = files.flatMap(({ problem }) => problem ?? []);
  return `Unverifiable: the original is intact, but its rows cannot be found: ${problems.join('; ')}.`;
}
