import type { Narrow } from '../shared-arrays.ts';
import { GrowingNumbers } from './growing-arrays.ts';
import { invert, type Postings } from './postings.ts';
import type { ValueColumn } from './rows.ts';

/**
 * The filter `legalForm` finds the name of a legal form and its code. Each text is one group of documents, whether it
 * is a name, a code or both: the groups are the names by their numbers, then the codes that are not also names.
 */
export interface FormGroups {
  /** The number of each row's code, and the group of each code or `NO_GROUP`. */
  readonly codes: Uint32Array;
  readonly groupOfCode: Uint32Array;
  readonly groupCount: number;
}

const NO_GROUP = 0xffffffff;

/** Also returns the texts of the groups that follow the names. */
export function findFormGroups(names: ValueColumn, codes: ValueColumn): { groups: FormGroups; formCodes: string[] } {
  const groupOfName = new Map(names.table.values().map((name, group) => [name, group]));
  const formCodes: string[] = [];
  const groupOfCode = Uint32Array.from(codes.table.values(), (code) => {
    if (code === null) return NO_GROUP;
    return groupOfName.get(code) ?? names.table.count + formCodes.push(code) - 1;
  });
  const groupCount = names.table.count + formCodes.length;
  return { groups: { codes: codes.values.values, groupOfCode, groupCount }, formCodes };
}

/** `names` is in document order; the codes are in the order of the rows. */
export function groupForms(
  names: Narrow,
  { codes, groupOfCode, groupCount }: FormGroups,
  order: Uint32Array,
): Postings {
  const groups = new GrowingNumbers();
  const starts = new Uint32Array(order.length + 1);
  for (let doc = 0; doc < order.length; doc++) {
    groups.push(names[doc] as number);
    const group = groupOfCode[codes[order[doc] as number] as number] as number;
    if (group !== NO_GROUP) groups.push(group);
    starts[doc + 1] = groups.length;
  }
  return invert(groups.values, starts, order.length, groupCount);
}
