import { isicCodes, withParents } from '../../classifications/isic.ts';

/** Sections and divisions of ISIC, which results are counted by. An index names them by their number in this list. */
export const industries: readonly string[] = isicCodes.filter((code) => code.length <= 2);

const NUMBERS = new Map(industries.map((code, number) => [code, number]));

/** The numbers of the section and the division of a code; a section has no division. */
export function industriesOf(code: string): readonly number[] {
  return withParents(code).flatMap((part) => NUMBERS.get(part) ?? []);
}

/** So many documents share an entry in `otherIndustryStarts`, so that a byte says which of them is meant. */
export const GROUP_SHIFT = 8;

/** Set in an entry of `otherIndustries` if no other activity of the company is in the section of this division. */
export const NEW_SECTION = 0x80;
