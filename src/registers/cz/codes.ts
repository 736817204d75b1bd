import type { CodeRow } from '../contract.ts';
import { readCodeList, readRanges, readText } from '../parsing.ts';

/** The legal forms in use (list 56 of the statistical office), so that they have names in an import without the list. */
export const LEGAL_FORMS = readCodeList(new URL('legal-forms.tsv', import.meta.url));

/** The code lists, by the numbers that the statistical office gives them. */
export const LISTS = {
  legalForm: 56,
  rosLegalForm: 149,
  endReason: 572,
  employees: 579,
  nace: 80_004,
  nace2025: 80_143,
  district: 109,
  municipality: 51,
  sector: 5161,
  houseNumberType: 73,
  activitySource: 564,
} as const;

export interface Codes {
  /** The text of a code, or null if neither the imported lists nor the built-in one have the code. */
  label(list: number, code: string): string | null;
  /** Whether any code of the list is known, so that a code without a text is an unknown code. */
  has(list: number): boolean;
}

export function readCodes(tables: ReadonlyMap<string, readonly CodeRow[]>): Codes {
  const labels = new Map<string, string>();
  const lists = new Set<number>([LISTS.legalForm]);
  const add = (list: string, code: string, text: string) => {
    if (text.trim() === '') return;
    labels.set(`${Number(list)}/${code.trim()}`, text.trim());
    lists.add(Number(list));
  };
  for (const [code, text] of LEGAL_FORMS) add(String(LISTS.legalForm), code, text);
  // A list may hold several editions, the current one first. Read from the end, so that the current text wins.
  for (const { KODCIS = '', CHODNOTA = '', TEXT = '' } of (tables.get('code list') ?? []).toReversed())
    add(KODCIS, CHODNOTA, TEXT);
  for (const { ciselnik = '', kod_polozky = '', text = '' } of (tables.get('code list (vdb)') ?? []).toReversed())
    add(ciselnik, kod_polozky, text);
  return { label: (list, code) => readText(labels.get(`${list}/${code}`) ?? ''), has: (list) => lists.has(list) };
}

/** List 579: the smallest and the largest number of employees of a class. */
export const EMPLOYEES = readRanges(
  '110 0-0, 120 1-5, 130 6-9, 210 10-19, 220 20-24, 230 25-49, 240 50-99, 310 100-199, 320 200-249, 330 250-499, ' +
    '340 500-999, 410 1000-1499, 420 1500-1999, 430 2000-2499, 440 2500-2999, 450 3000-3999, 460 4000-4999, ' +
    '470 5000-9999, 510 10000-',
);
export const EMPLOYEES_NOT_STATED = '000';
