import { nameCountry } from './country-name.ts';
import { formatDate, formatMoney } from './formatting.ts';

const languages = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'code' });

/**
 * How a person reads the value of a field: dates, yes and no, and names instead of codes of countries and languages. The
 * JSON has the exact value. Numbers are texts that cannot be distinguished from codes, so only amounts are formatted.
 */
export function formatField(key: string, value: string | boolean): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (/^(?:.*C|c)ountryCode$|^jurisdiction$/.test(key) && /^[A-Z]{2}$/.test(value)) {
    return `${nameCountry(value)} (${value})`;
  }
  if (/^(?:.*L|l)anguage$/.test(key) && /^[a-z]{2}$/.test(value)) return languages.of(value) ?? value;
  if (key === 'amount') return formatMoney(value);
  if (CONSTANT.test(value)) return value.charAt(0) + value.slice(1).toLowerCase().replaceAll('_', ' ');
  const [, day, time] = MOMENT.exec(value) ?? [];
  return day === undefined ? formatDate(value) : `${formatDate(day)}, ${time}`;
}

/** A constant of the source, such as `FULLY_CORROBORATED`. */
const CONSTANT = /^[A-Z]+(?:_[A-Z]+)+$/;
/** Shown in the time zone of the source, which the text often does not name. */
const MOMENT = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)/;
