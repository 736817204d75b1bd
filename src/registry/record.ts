import { hash } from 'node:crypto';
import { fold } from '../core/fold.ts';
import { nameUuid } from '../core/ids.ts';
import { activityKeys, numberKeys } from '../core/search-keys.ts';
import type { Value } from '../db/db.ts';
import type { Link, MappedRecord, Register } from '../registers/contract.ts';
import { registers } from '../registers/index.ts';

/**
 * A record ready to be stored. What it says is one text, the values of `entityColumns` that the source decides: it is hashed
 * as it is, and one long string goes to another thread at a tenth of the cost of its parts.
 */
export interface PreparedRecord {
  readonly id: string;
  /** Row of the source file. */
  readonly place: number;
  readonly content: string;
  /** Tells whether the content, or what it links to, is another than the one that is stored. */
  readonly contentHash: string;
  readonly link: PreparedLink | null;
}

export interface PreparedLink {
  /** Id of the linked entity, whether it is there or not. */
  readonly to: string;
  /** By which that one is found too. */
  readonly numbers: string;
}

/** The source row as `source-data.ts` keeps it; a tree has no layout. */
export interface StoredSource {
  readonly layout: number | null;
  readonly text: string;
}

/** Between two values; none of them holds it: JSON escapes it, and `storable` replaces it. */
const BETWEEN = '\0';
/** Begins what is not text: alone it is null, before digits it is a number. */
const MARK = '\u0001';

/**
 * Identity is `countryCode/register/number`. A row without a number is known by its name, date and legal form: the best
 * there is, and reported.
 */
export function prepareRecord(
  register: Register,
  record: MappedRecord,
  source: StoredSource,
  place: number,
): PreparedRecord {
  const { number, canonicalName, status, legalForm, registeredAt } = record;
  const country = record.country ?? register.country ?? '';
  const key = number ?? JSON.stringify([canonicalName, registeredAt, legalForm]);
  const name = storable(canonicalName);
  const numbers = storable(numberKeys(record.registrations.map(({ number }) => number)));
  const content = [
    register.id,
    country,
    name,
    storable(fold(name)),
    status,
    legalForm === null ? MARK : storable(legalForm),
    registeredAt ?? MARK,
    numbers,
    storable(activityKeys(record.activities)),
    JSON.stringify(record.registrations),
    JSON.stringify(record.registry),
    source.layout === null ? MARK : MARK + source.layout,
    source.text,
  ].join(BETWEEN);
  const to = record.link && findLinkedId(record.link);
  return {
    id: nameUuid(`${country}/${register.id}/${key}`),
    place,
    content,
    contentHash: hashContent(to === undefined ? content : content + BETWEEN + to),
    link: to === undefined ? null : { to, numbers },
  };
}

const registersById = new Map(registers.map((register) => [register.id, register]));

/** The id of the linked entity, whether it is there or not; undefined where there is no such register. */
export function findLinkedId({ register: id, number }: Link): string | undefined {
  const register = registersById.get(id);
  if (register === undefined) return undefined;
  const bare = number.replace(/\s/g, '');
  return nameUuid(`${register.country}/${id}/${register.writeNumber?.(bare) ?? bare}`);
}

/** 128 bits and more: two records never look alike by accident. */
function hashContent(content: string): string {
  return hash('sha256', content, 'base64url').slice(0, 22);
}

export function readContent(content: string): Value[] {
  return content.split(BETWEEN).map(readValue);
}

function readValue(text: string): Value {
  if (!text.startsWith(MARK)) return text;
  return text === MARK ? null : Number(text.slice(1));
}

/**
 * PostgreSQL cannot store U+0000 and UTF-8 no lone surrogate, and U+0001 in front is our mark: they become U+FFFD. The
 * source's own text is kept, escaped, in JSON.
 */
function storable(text: string): string {
  if (text.isWellFormed() && !text.includes(BETWEEN) && !text.startsWith(MARK)) return text;
  const whole = text.toWellFormed().replaceAll(BETWEEN, '\ufffd');
  return whole.startsWith(MARK) ? `\ufffd${whole.slice(1)}` : whole;
}
