/** The fields of `registry` that take more than reading one column. */
import type { Cell } from '../contract.ts';
import { compact, readText, readTexts } from '../parsing.ts';

const FORMATS: ReadonlyArray<readonly [RegExp, string]> = [
  [/^\d{8}[A-Z]$/, 'business'],
  [/^\d{9}[A-Z]$/, 'local company'],
  [/^[RST]\d{2}[A-Z]{2}\d{4}[A-Z]$/, 'other entity'],
];

/** The last letter is a check letter. Its formula is not known, so only the format is recognized. */
export function findFormat(number: string | null): string | null {
  return FORMATS.find(([pattern]) => pattern.test(number ?? ''))?.[1] ?? null;
}

export function readAddress(cell: Cell) {
  return compact({
    type: readText(cell('address_type')),
    block: readText(cell('block')),
    street: readText(cell('street_name')),
    level: readText(cell('level_no')),
    unit: readText(cell('unit_no')),
    building: readText(cell('building_name')),
    postCode: readText(cell('postal_code')),
    lines: readTexts(['other_address_line1', 'other_address_line2'], cell),
  });
}
