import type { CodeRow } from '../contract.ts';
import { readText } from '../parsing.ts';

/** The code lists, by the numbers that the statistical office gives them. */
export const LISTS = {
  legalForm: 56,
  rosLegalForm: 149,
  endReason: 572,
  sizeClass: 579,
  nace: 80_004,
  district: 109,
  municipality: 51,
  sector: 5161,
  houseNumberType: 73,
  activitySource: 564,
} as const;

export interface Codes {
  /** The text of a code, or null if the list was not imported or lacks the code. */
  label(list: number | string, code: string): string | null;
}

/** The most common legal forms, so that they have names in an import without the code list. */
const KNOWN: readonly (readonly [string, string])[] = [
  [`${LISTS.legalForm}/101`, 'Fyzická osoba podnikající dle živnostenského zákona'],
  [`${LISTS.legalForm}/112`, 'Společnost s ručením omezeným'],
  [`${LISTS.legalForm}/121`, 'Akciová společnost'],
];

export function readCodes(tables: ReadonlyMap<string, readonly CodeRow[]>): Codes {
  const labels = new Map(KNOWN);
  const add = (list = '', code = '', text = '') => {
    const key = `${Number(list)}/${code.trim()}`;
    if (text.trim() !== '') labels.set(key, text.trim());
  };
  // A list may hold several editions, the current one first. Read from the end, so that the current text wins.
  for (const row of (tables.get('code list') ?? []).toReversed()) add(row.KODCIS, row.CHODNOTA, row.TEXT);
  for (const row of (tables.get('code list (vdb)') ?? []).toReversed()) add(row.ciselnik, row.kod_polozky, row.text);
  return { label: (list, code) => readText(labels.get(`${Number(list)}/${code}`) ?? '') };
}
