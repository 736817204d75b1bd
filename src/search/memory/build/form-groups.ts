import type { Narrow } from '../shared-arrays.ts';
import type { ByteTable } from './byte-table.ts';
import { invert, type Postings } from './postings.ts';

/**
 * The filter `legalForm` finds the name of a legal form and its code. Each text is one group of documents, whether it
 * is a name, a code or both: the groups are the names by their numbers, then the codes that are not also names.
 */
export interface FormGroups {
  /** The group of each code, or `NO_GROUP`. */
  readonly groupOfCode: Uint32Array;
  readonly groupCount: number;
}

const NO_GROUP = 0xffffffff;

/** Also returns the texts of the groups that follow the names. */
export function findFormGroups(names: ByteTable, codes: ByteTable): { groups: FormGroups; formCodes: string[] } {
  const groupOfName = new Map(names.values().map((name, group) => [name, group]));
  const formCodes: string[] = [];
  const groupOfCode = Uint32Array.from(codes.values(), (code) => {
    if (code === null) return NO_GROUP;
    return groupOfName.get(code) ?? names.count + formCodes.push(code) - 1;
  });
  return { groups: { groupOfCode, groupCount: names.count + formCodes.length }, formCodes };
}

/** The numbers of the name and of the code of each document. */
export function groupForms(names: Narrow, codes: Narrow, { groupOfCode, groupCount }: FormGroups): Postings {
  const groups = new Uint32Array(names.length * 2);
  const starts = new Uint32Array(names.length + 1);
  let count = 0;
  for (let doc = 0; doc < names.length; doc++) {
    groups[count++] = names[doc] as number;
    const group = groupOfCode[codes[doc] as number] as number;
    if (group !== NO_GROUP) groups[count++] = group;
    starts[doc + 1] = count;
  }
  return invert({ groups, starts }, groupCount);
}
