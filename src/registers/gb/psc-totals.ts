/** The last line of the last part says how many records the snapshot has, so that a missing part or line is noticed. */
import { formatCount } from '../../core/format-count.ts';
import type { Tally } from '../contract.ts';
import { type Tree, textOf, treeOf } from '../parsing.ts';

export const TOTALS = 'totals#persons-of-significant-control-snapshot';

/** Persons are counted as what remains of all records. */
export function tallyRecord(record: Tree): Tally | null {
  const data = treeOf(record, 'data');
  const kind = textOf(data, 'kind');
  if (kind === TOTALS) {
    const count = (key: string) => Number(textOf(data, key)) || 0;
    return {
      trailers: 1,
      saidPersons: count('persons_of_significant_control_count'),
      saidStatements: count('statements_count'),
      saidExemptions: count('exemptions_count'),
    };
  }
  if (kind === 'persons-with-significant-control-statement') return { statements: 1 };
  if (kind === 'exemptions') return { exemptions: 1 };
  return kind.startsWith('super-secure-') ? { protected: 1 } : null;
}

export function checkTotals(tally: Tally, records: number): string | null {
  const {
    trailers = 0,
    statements = 0,
    exemptions = 0,
    saidPersons = 0,
    saidStatements = 0,
    saidExemptions = 0,
  } = tally;
  if (trailers !== 1) {
    const found = trailers === 0 ? 'no line with the totals' : `${trailers} lines with totals`;
    return `the snapshot has ${found}, but exactly one is published at its end: give all parts of one day, each once`;
  }
  const persons = records - trailers - statements - exemptions;
  // It is not documented whether the totals include protected persons.
  const isComplete = [0, tally.protected ?? 0].some((left) => persons - left === saidPersons);
  if (isComplete && statements === saidStatements && exemptions === saidExemptions) return null;
  const list = (...counts: [number, number, number]) => {
    const [ofPersons, ofStatements, ofExemptions] = counts.map(formatCount);
    return `${ofPersons} persons, ${ofStatements} statements and ${ofExemptions} exemptions`;
  };
  return `the files have ${list(persons, statements, exemptions)}, but the totals in their last line are ${list(saidPersons, saidStatements, saidExemptions)}: download the parts again`;
}
