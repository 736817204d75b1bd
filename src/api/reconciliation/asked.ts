import { type ErrorCode, fail } from '../../base/errors.ts';
import { fold } from '../../base/fold.ts';
import { isUuid } from '../../base/ids.ts';
import { nameCountry } from '../../registry/country-names.ts';
import type { ListedQuery } from '../../search/match/batch.ts';
import type { MatchQuery } from '../../search/match/matching.ts';
import { DEFAULT_MATCH_LIMIT, MAX_MATCH_LIMIT, readListedQuery } from '../../search/match-parameters.ts';
import { COMPANY, findProperty } from './properties.ts';

/** The maximum number of queries, or of companies to extend, in one request. */
export const BATCH_SIZE = 50;

interface GivenQuery {
  readonly name: string | undefined;
  /** The requested types; empty for any type. */
  readonly types: readonly string[];
  readonly limit: number | undefined;
  readonly properties: readonly { readonly id: string; readonly value: string }[];
}

export interface Asked {
  /** Set if the query is the id of a company. */
  readonly id?: string;
  readonly listed: ListedQuery;
  /** Whether a given value could not be read. Then no candidate is safe to take without asking. */
  readonly isDoubtful: boolean;
  /** Whether the query does not have the form that the protocol demands. */
  readonly isMalformed: boolean;
}

/**
 * Reads the queries of a batch. An invalid query does not affect the others: it gets no candidates and costs nothing. But if all queries are
 * malformed, the client uses another protocol, and the batch is rejected.
 */
export function readAll<T>(queries: readonly T[], read: (query: T, at: number) => Asked): Asked[] {
  checkSize(queries.length, 'queries');
  const asked = queries.map((query, at) => {
    try {
      return read(query, at);
    } catch (error) {
      return { listed: { error }, isDoubtful: false, isMalformed: true };
    }
  });
  const [first] = asked;
  if (first !== undefined && 'error' in first.listed && asked.every(({ isMalformed }) => isMalformed))
    throw first.listed.error;
  return asked;
}

export function checkSize(count: number, noun: string): void {
  if (count <= BATCH_SIZE) return;
  const message = `The batch has ${count} ${noun}: send at most ${BATCH_SIZE} per request, as batchSize in the manifest says.`;
  throw fail('payload_too_large', { message });
}

export function toAsked({ name = '', types, limit, properties }: GivenQuery, country: string | undefined): Asked {
  const reject = (message: string): Asked => ({ listed: invalid(message), isDoubtful: false, isMalformed: false });
  if (types.length > 0 && !types.includes(COMPANY.id))
    return reject(`There are no entities of this type: use "${COMPANY.id}", or leave the type out.`);
  const id = readEntityId(name);
  const { evidence, isDoubtful } = readEvidence(properties, country);
  const known = name.trim() === '' ? (evidence.registrationNumber ?? '') : name;
  if (known === '') return reject('There is nothing to look for: give a name or a registrationNumber.');
  const wanted = limit !== undefined && limit >= 1 ? Math.trunc(limit) : DEFAULT_MATCH_LIMIT;
  const listed = readListedQuery({ name: known, ...evidence, limit: Math.min(wanted, MAX_MATCH_LIMIT) });
  return { listed, isDoubtful, isMalformed: false, ...(id !== undefined && { id }) };
}

function invalid(message: string, code: ErrorCode = 'invalid_request'): ListedQuery {
  return { error: fail(code, { message }) };
}

/** Reads an id, or the id at the end of the address of a company's page. */
export function readEntityId(text: string): string | undefined {
  const id = text.trim().split('/').at(-1) ?? '';
  return isUuid(id) ? id.toLowerCase() : undefined;
}

type Evidence = { -readonly [Name in keyof Omit<MatchQuery, 'name' | 'limit'>]: string };

/** Leaves out values that the matcher cannot use, and properties that we do not have. */
function readEvidence(given: GivenQuery['properties'], country: string | undefined) {
  const evidence: Evidence = {};
  let isDoubtful = false;
  for (const { id, value } of given) {
    if (findProperty(id)?.isEvidence !== true || value.trim() === '') continue;
    const name = id as keyof Evidence;
    const read = name === 'country' ? readCountryCode(value) : value.trim();
    const isUsable = read !== undefined && 'query' in readListedQuery({ name: 'x', [name]: read });
    if (isUsable && (name !== 'country' || country === undefined || country === read)) evidence[name] ??= read;
    else isDoubtful = true;
  }
  if (country !== undefined) evidence.country = country;
  return { evidence, isDoubtful };
}

/** Names that people use for the United Kingdom. Other old codes and names are in the locale data. */
const PARTS_OF_GB = ['great britain', 'england', 'scotland', 'wales', 'northern ireland'];
/** Codes that have a name in the locale data but are not countries. */
const NO_COUNTRIES = ['EU', 'EZ', 'QO', 'UN', 'XA', 'XB', 'ZZ'];
const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

/** Codes of countries by their folded names. Listing native names takes some milliseconds, so they are listed at first use. */
let english: Map<string, string> | undefined;
let native: Map<string, string> | undefined;

/** Returns the code of a country that is given by its code, its English name or its own name. Undefined if there is no such country. */
export function readCountryCode(text: string): string | undefined {
  english ??= listEnglish();
  const name = fold(text);
  const found = english.get(name);
  if (found !== undefined || name.length <= 2) return found;
  native ??= new Map(english.values().map((code) => [fold(nameCountry(code).nativeName), code]));
  return native.get(name);
}

function listEnglish(): Map<string, string> {
  const names = new Map(PARTS_OF_GB.map((name) => [name, 'GB']));
  const shown = new Intl.DisplayNames(['en'], { type: 'region' });
  for (const given of LETTERS.flatMap((first) => LETTERS.map((second) => first + second))) {
    const name = shown.of(given) ?? given;
    // Codes that are not assigned have no name. Old codes, and UK, are replaced by current codes.
    const code = new Intl.Locale('und', { region: given }).region ?? given;
    if (name !== given && !NO_COUNTRIES.includes(given)) names.set(fold(name), code).set(fold(given), code);
  }
  return names;
}
