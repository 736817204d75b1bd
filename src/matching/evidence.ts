import { fold } from '../core/fold.ts';
import { removeSeparators } from '../core/search-keys.ts';
import type { Candidate } from './candidates.ts';
import { compareForm } from './compare.ts';
import { readForm } from './forms.ts';
import { toLatin } from './latin.ts';
import type { MatchQuery } from './matching.ts';
import type { Feature } from './weights.ts';

/** Something besides the name that was compared. */
export interface Evidence {
  readonly feature: Feature;
  readonly value: string;
  readonly text: string;
}

/** Compares what the query says besides the name. What the query or the company lacks counts for nothing. */
export function compareEvidence(query: MatchQuery, candidate: Candidate): Evidence[] {
  const number = compareNumber(query, candidate);
  if (ENTITY_FIELDS.every((field) => query[field] === undefined)) return number === undefined ? [] : [number];
  const { entity } = candidate;
  return [
    number,
    compareCity(query.city, entity.city),
    comparePostcode(query.postcode, candidate.postcode),
    compareLegalForm(query.legalForm, entity.legalForm, entity.countryCode),
    compareDate(query.registeredAt, entity.registeredAt),
    compareStatus(query.status, entity.status),
  ].filter((one) => one !== undefined);
}

/** Reading the entity takes longer than comparing it. */
const ENTITY_FIELDS = ['city', 'postcode', 'legalForm', 'registeredAt', 'status'] as const;

/** The spellings of a number that are looked for: VAT numbers with and without their country, GB numbers with their zeros. */
export function numberSpellings(number: string | undefined): string[] {
  const bare = removeSeparators(fold(number ?? '')).slice(0, MAX_NUMBER_LENGTH);
  if (bare === '') return [];
  const spellings = new Set([bare]);
  if (/^[a-z]{2}[0-9a-z]{5,}$/.test(bare)) spellings.add(bare.slice(2));
  if (/^\d{5,7}$/.test(bare)) spellings.add(bare.padStart(8, '0'));
  return [...spellings];
}

const MAX_NUMBER_LENGTH = 40;

function compareNumber({ registrationNumber: value }: MatchQuery, candidate: Candidate): Evidence | undefined {
  if (value === undefined) return undefined;
  const asked = numberSpellings(value);
  const { numbers } = candidate;
  if (asked.length === 0 || numbers.length === 0) return undefined;
  if (asked.some((one) => numbers.includes(one)))
    return { feature: 'number', value, text: `It has the number ${value}` };
  const [first = ''] = numbers;
  return { feature: 'numberOther', value: first, text: `Its number is ${first.toUpperCase()}, not ${value}` };
}

function compareCity(asked: string | undefined, known: string | null): Evidence | undefined {
  const [a, b] = [plain(asked), plain(known)];
  if (a === '' || b === '') return undefined;
  const value = known ?? '';
  if (a === b || ` ${a} `.includes(` ${b} `) || ` ${b} `.includes(` ${a} `))
    return { feature: 'city', value, text: `It is in ${value}` };
  return { feature: 'cityOther', value, text: `It is in ${value}, not in ${asked}` };
}

function comparePostcode(asked: string | undefined, known: string | null): Evidence | undefined {
  const [a, b] = [plain(asked).replaceAll(' ', ''), plain(known).replaceAll(' ', '')];
  if (a === '' || b === '') return undefined;
  const value = known ?? '';
  if (a === b) return { feature: 'postcode', value, text: `Its postcode is ${value}` };
  if (a.slice(0, AREA_LENGTH) === b.slice(0, AREA_LENGTH))
    return { feature: 'postcodeArea', value, text: `Its postcode ${value} is near ${asked}` };
  return { feature: 'postcodeOther', value, text: `Its postcode is ${value}, not ${asked}` };
}

/** In most countries the first two characters of a postcode are a region. */
const AREA_LENGTH = 2;

function compareLegalForm(asked: string | undefined, known: string | null, country: string): Evidence | undefined {
  if (!asked || !known) return undefined;
  const value = known;
  const isSame = plain(asked) === plain(known);
  const [a, b] = [readForm(asked, country), readForm(known, country)];
  const compared = isSame ? { formEqual: 1 } : a && b ? compareForm([a], [b]) : {};
  if (compared.formEqual) return { feature: 'legalForm', value, text: `Its legal form is ${value}` };
  if ('formOther' in compared || 'formCountry' in compared)
    return { feature: 'legalFormOther', value, text: `Its legal form is ${value}, not ${asked}` };
  return undefined;
}

function compareDate(asked: string | undefined, known: string | null): Evidence | undefined {
  if (!asked || !known) return undefined;
  const value = known;
  if (known.startsWith(asked) || asked.startsWith(known))
    return { feature: 'registeredAt', value, text: `It was registered on ${value}` };
  const isSameYear = known.slice(0, 4) === asked.slice(0, 4);
  return {
    feature: isSameYear ? 'registeredYear' : 'registeredOther',
    value,
    text: `It was registered on ${value}, not ${asked}`,
  };
}

function compareStatus(asked: string | undefined, known: string): Evidence | undefined {
  if (!asked || known === 'unknown') return undefined;
  if (asked === known) return { feature: 'status', value: known, text: `Its status is ${known}` };
  return { feature: 'statusOther', value: known, text: `Its status is ${known}, not ${asked}` };
}

function plain(text: string | null | undefined): string {
  return toLatin(fold((text ?? '').slice(0, 200)))
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
