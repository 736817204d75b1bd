import { fold } from '../../core/fold.ts';
import type { SearchQuery } from '../../search/search.ts';

/**
 * The `Content-Disposition` of a downloaded result: `companies-holdings-gb-2026-11-17.csv`, after the search and the day (UTC). Browsers
 * use the second form, which may have any letters; the first one is for programs that know only ASCII (RFC 6266).
 */
export function nameDownload(query: SearchQuery, now: number): string {
  const { q, country, register, status, legalForm, legalFormClass, activity, registeredFrom, registeredTo } = query;
  const given = [q, country, register, status, legalForm, legalFormClass, activity, registeredFrom, registeredTo];
  const words = given.map((text) => toWords(text ?? '')).filter((text) => text !== '');
  const day = new Date(now).toISOString().slice(0, 10);
  const name = [...['companies', ...words].join('-')].slice(0, MAX_LENGTH).join('');
  const ascii = name.replace(/[^a-z0-9-]+/g, '').replace(/-+$/, '');
  return `attachment; filename="${ascii}-${day}.csv"; filename*=UTF-8''${encodeURIComponent(`${name}-${day}.csv`)}`;
}

const MAX_LENGTH = 80;

function toWords(text: string): string {
  return (fold(text.toWellFormed()).match(/[\p{L}\p{N}]+/gu) ?? []).join('-');
}
