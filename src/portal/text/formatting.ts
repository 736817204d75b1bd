/** Formats numbers, dates and durations for pages: English, UTC. */
import { formatCount } from '../../base/format-count.ts';
import { type Html, html } from '../../base/html.ts';

export { formatCount };

import { titleOf } from '../../registers/classifications/isic.ts';
import { stateNames } from '../../registers/jurisdictions.ts';
import { nameCountry as findCountryName } from '../../registry/country-names.ts';
import { type SourceValue, toRecord } from '../../registry/records/source-values.ts';
import { nameAuthority, nameRegister } from '../../registry/register-names.ts';

const NUMBER = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 20 });
const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
const MONTH = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });
const SHORT_DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const MOMENT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

/** Formats a number given as text, with all its digits; returns any other text unchanged. */
export function formatNumber(text: string): string {
  return /^-?\d+(?:\.\d+)?$/.test(text) ? NUMBER.format(text as Intl.StringNumericLiteral) : text;
}

/** Formats an amount: `0.50`, `1,000`. An amount that is not whole has at least two decimal places. */
export function formatMoney(text: string): string {
  return /^-?\d+\.\d$/.test(text) ? `${formatNumber(text)}0` : formatNumber(text);
}

/** `1 company`, `2,000 companies`. */
export function formatAmount(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

export function formatDay(instant: number): string {
  return DAY.format(instant);
}

/** `March 2026`, for `2026-03`. */
export function formatMonth(month: string): string {
  return MONTH.format(Date.parse(`${month}-01`));
}

/** Formats an ISO date as `15 Mar`, for use beside other dates of the same year. */
export function formatShortDay(date: string): string {
  return SHORT_DAY.format(Date.parse(date));
}

export function formatMoment(instant: number): string {
  return `${MOMENT.format(instant)} UTC`;
}

/** Formats a register's ISO date (`2003-02-01`); returns any other text unchanged. */
export function formatDate(date: string): string {
  const instant = /^\d{4}-\d\d-\d\d$/.test(date) ? Date.parse(date) : Number.NaN;
  return Number.isNaN(instant) ? date : formatDay(instant);
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY_MS = 24 * HOUR;

/** `just now`, `5 minutes ago`, rounded down. */
export function formatAge(milliseconds: number): string {
  if (milliseconds < MINUTE) return 'just now';
  if (milliseconds < HOUR) return `${formatAmount(Math.floor(milliseconds / MINUTE), 'minute')} ago`;
  if (milliseconds < DAY_MS) return `${formatAmount(Math.floor(milliseconds / HOUR), 'hour')} ago`;
  return `${formatAmount(Math.floor(milliseconds / DAY_MS), 'day')} ago`;
}

/** Formats a time to wait. It is rounded up, so that a user who waits this long is never too early. */
export function formatWait(milliseconds: number): string {
  if (milliseconds <= 2 * MINUTE) return formatAmount(Math.max(1, Math.ceil(milliseconds / 1000)), 'second');
  if (milliseconds <= 2 * HOUR) return formatAmount(Math.ceil(milliseconds / MINUTE), 'minute');
  if (milliseconds <= 2 * DAY_MS) return formatAmount(Math.ceil(milliseconds / HOUR), 'hour');
  return formatAmount(Math.ceil(milliseconds / DAY_MS), 'day');
}

/** Formats a probability in percent. `100%` appears only for a probability that is 1 in three digits. */
export function formatScore(score: number): string {
  return score > 0.99 && score < 1 ? `${(score * 100).toFixed(1)}%` : `${Math.round(score * 100)}%`;
}

/** Formats a share, rounded down: 100% appears only when everything is used. */
export function formatPercent(part: number, whole: number): string {
  return `${Math.floor((part / whole) * 100)}%`;
}

/** The English name of any country, served or not: GLEIF lists companies from countries that have no register here. */
export function nameCountry(code: string): string {
  return findCountryName(code).name;
}

/** `New York (US-NY)`, or the name of a country. */
export function nameJurisdiction(code: string): string {
  const state = stateNames.get(code);
  return state === undefined ? nameCountry(code) : `${state} (${code})`;
}

/** Sorts countries by name, because by code, Germany (DE) would come before Estonia (EE). */
export function sortByCountryName<T extends { readonly code: string }>(countries: readonly T[]): T[] {
  return countries.toSorted((a, b) => (nameCountry(a.code) < nameCountry(b.code) ? -1 : 1));
}

const languages = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'code' });

/**
 * Formats the value of a field for people: dates, yes and no, and names instead of codes of countries and languages. The
 * JSON has the exact value. Numbers are texts that cannot be distinguished from codes, so only amounts are formatted.
 */
export function formatField(key: string, value: string | boolean): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (/^(?:.*C|c)ountryCode$/.test(key) && /^[A-Z]{2}$/.test(value)) {
    return `${nameCountry(value)} (${value})`;
  }
  if (/^(?:.*L|l)anguage$/.test(key) && /^[a-z]{2}$/.test(value)) return languages.of(value) ?? value;
  if (key === 'amount') return formatMoney(value);
  if (key === 'register') return nameRegister(value);
  if (AUTHORITY.test(value)) return nameAuthority(value);
  if (CONSTANT.test(value)) return value.charAt(0) + value.slice(1).toLowerCase().replaceAll('_', ' ');
  const [, day, time] = SOURCE_MOMENT.exec(value) ?? [];
  return day === undefined ? formatDate(value) : `${formatDate(day)}, ${time}`;
}

/** GLEIF's code of a registration authority, such as `RA000585`. */
const AUTHORITY = /^RA\d{6}$/;
/** A constant of the source, such as `FULLY_CORROBORATED`. */
const CONSTANT = /^[A-Z]+(?:_[A-Z]+)+$/;
/** A moment is shown in the time zone of the source, which the text often does not name. */
const SOURCE_MOMENT = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)/;

/** The length is enough to distinguish the legal forms of one country. */
const MAX_FORM_LENGTH = 30;

/**
 * Shortens a legal form for lists, in which a long form would take the place of other facts: to the abbreviation that some registers put
 * in front, or to the first words. The record has the whole form.
 */
export function shortenLegalForm(legalForm: string): string {
  const [, abbreviation] = /^(\p{Lu}{2,6}) - ./u.exec(legalForm) ?? [];
  if (abbreviation !== undefined) return abbreviation;
  const characters = [...legalForm];
  if (characters.length <= MAX_FORM_LENGTH) return legalForm;
  const start = characters.slice(0, MAX_FORM_LENGTH).join('');
  return `${start.replace(/[\s,;(-]+\S*$/u, '') || start}…`;
}

/** `62 Computer programming, consultancy and related activities` */
export function nameIndustry(code: string): string {
  const title = titleOf(code);
  return title === '' ? code : `${code} ${title}`;
}

/** The ISIC code of an activity; undefined for an activity without a code. */
export function codeOfIndustry(isic: unknown): string | undefined {
  const { level, ...codes } = toRecord(isic as SourceValue);
  const code = codes[String(level)];
  return code === undefined ? undefined : String(code);
}

/** Shows the ISIC code of an activity as a link to the companies with this code, or the reason why the activity has no code. */
export function showIndustry(isic: unknown, note?: unknown): Html | string | undefined {
  const code = codeOfIndustry(isic);
  if (code === undefined) return note === undefined ? undefined : `None: ${note}`;
  return html`<a href="/explore?isic=${code}">${code}</a> ${String(toRecord(isic as SourceValue).label)}`;
}
