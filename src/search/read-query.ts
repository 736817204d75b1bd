import { type Failure, fail } from '../core/errors.ts';
import type { ActivityType } from '../core/search-keys.ts';
import type { SearchQuery } from './search.ts';

/**
 * Reads the parameters of a search as a client wrote them, for the API and for the portal alike. Every bound stands once, here;
 * nothing is guessed, trimmed or rounded, and every refusal says what to write instead.
 */
export const Q = { maxLength: 200 } as const;
export const COUNTRY = { minLength: 2, maxLength: 2, pattern: '^[A-Za-z]{2}$' } as const;
export const EXACT = { minLength: 1 } as const;
export const ACTIVITY_TYPES = ['unlicensed', 'licensed'] as const satisfies readonly ActivityType[];
export const ACTIVITY_TYPE = { type: 'string', default: 'unlicensed' } as const;
export const PAGE = { minimum: 1, maximum: Number.MAX_SAFE_INTEGER, default: 1 } as const;
export const PAGE_SIZE = { minimum: 1, maximum: 100, default: 25 } as const;

export type GivenParameters = Readonly<Record<string, string | undefined>>;

export function readSearchQuery(given: GivenParameters): SearchQuery {
  return {
    q: readFragment(given.q),
    country: readCountry(given.country),
    legalForm: readExact('legalForm', given.legalForm),
    activity: readExact('activity', given.activity),
    activityType: readActivityType(given.activityType),
    page: readInteger('page', given.page, PAGE),
    pageSize: readInteger('pageSize', given.pageSize, PAGE_SIZE),
  };
}

function readFragment(text = ''): string {
  refuseNul('q', text);
  // A character is a code point; the cheap length is never below.
  const length = text.length > Q.maxLength ? [...text].length : text.length;
  if (length <= Q.maxLength) return text;
  throw refusal('q', `has ${length} characters and may have ${Q.maxLength}: search for a shorter fragment.`);
}

const TWO_LETTERS = new RegExp(COUNTRY.pattern);

function readCountry(text: string | undefined): string | undefined {
  if (text === undefined || TWO_LETTERS.test(text)) return text?.toUpperCase();
  throw refusal('country', 'must be two letters (ISO 3166-1 alpha-2), such as GB: leave it out to search everywhere.');
}

function readExact(name: string, text: string | undefined): string | undefined {
  if (text === '') throw refusal(name, 'is empty: give the exact national value, or leave the parameter out.');
  refuseNul(name, text ?? '');
  return text;
}

function readActivityType(text: string = ACTIVITY_TYPE.default): ActivityType {
  const type = ACTIVITY_TYPES.find((candidate) => candidate === text);
  if (type !== undefined) return type;
  throw refusal('activityType', `must be "unlicensed" or "licensed": leave it out for "${ACTIVITY_TYPE.default}".`);
}

/** Digits as one writes them: no sign, point, exponent, blank or leading zero. */
const PLAIN_DIGITS = /^[1-9][0-9]*$/;

function readInteger(name: string, text: string | undefined, bounds: typeof PAGE | typeof PAGE_SIZE): number {
  if (text === undefined) return bounds.default;
  const value = PLAIN_DIGITS.test(text) ? Number(text) : Number.NaN;
  if (value >= bounds.minimum && value <= bounds.maximum) return value;
  const range = `from ${bounds.minimum} to ${bounds.maximum}`;
  throw refusal(name, `must be a whole number ${range}, in plain digits: leave it out for ${bounds.default}.`);
}

function refuseNul(name: string, text: string): void {
  if (text.includes('\0')) throw refusal(name, 'holds the character U+0000, which no record does: leave it out.');
}

function refusal(name: string, problem: string): Failure {
  return fail('invalid_request', { message: `The query parameter "${name}" ${problem}` });
}
