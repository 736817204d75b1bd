import { findActivityKeys } from '../../../base/search-keys.ts';
import { type ClassifiableActivity, findIsic, isicCodes } from '../../../registers/classifications/isic.ts';
import { levelOf } from '../../../registers/classifications/isic-code.ts';
import { GROUP_SHIFT, industries, industriesOf, NEW_SECTION } from '../encodings.ts';
import { type Narrow, sharedBytes, sharedNarrow, sharedNumbers } from '../shared-arrays.ts';
import { ByteTable, createLists } from './byte-table.ts';
import type { Chunk } from './chunk.ts';
import { GrowingNumbers } from './growing-arrays.ts';
import { invert } from './postings.ts';

/** The values of `summary.isic` by number: 0 stands for no code. */
export const isicValues: readonly (string | null)[] = [null, ...isicCodes];

const NUMBERS = new Map(isicValues.map((code, number) => [code, number]));
/** The level of each code in the hierarchy, to choose the main code of several. */
const DEPTHS = Uint8Array.from(isicValues, (code) =>
  code === null ? 0 : levelOf(code) === 'section' ? 1 : code.length,
);

interface Activity extends ClassifiableActivity {
  readonly label?: string;
}

/**
 * The ISIC codes of all rows. Activities of the store are JSON; each distinct activity is parsed and classified once.
 *
 * The index has a set of documents for each activity, so the documents of a code are the union of the sets of its activities. Few
 * activities have several codes, because editions of a classification use the same number for different activities. For these, the
 * documents are listed by code.
 */
export class ActivityRows {
  readonly #table = new ByteTable();
  readonly #activities: Activity[] = [];
  readonly #isic = new GrowingNumbers();
  /** The numbers of the activities of each row. */
  readonly lists = createLists();
  /** The number of the main code of the latest row. The rules are those of `findMainIsic`. */
  main = 0;

  /** Reads the list of activities, or null, at `start`. Returns where the next value starts. */
  add(chunk: Chunk, start: number): number {
    const { values, starts } = this.lists;
    starts.push(values.length);
    const { bytes } = chunk;
    let [main, first, hasMain, hasFirst] = [0, 0, false, false];
    let at = start;
    while (bytes[at] !== 0) {
      if (bytes[at] !== OPEN) {
        at++;
        continue;
      }
      const end = findEnd(bytes, at);
      const national = findNational(bytes, at, end);
      const number = this.#table.addRange(chunk, at, national);
      if (number === this.#activities.length) this.#classify(bytes, at, national);
      values.push(number);
      const activity = this.#activities[number] as Activity;
      const isic = this.#isic.values[number] as number;
      if (activity.main === true) {
        hasMain = true;
        if ((DEPTHS[isic] as number) > (DEPTHS[main] as number)) main = isic;
      } else if (!hasFirst && activity.type !== 'licensed') {
        hasFirst = true;
        first = isic;
      }
      at = end;
    }
    this.main = hasMain ? main : first;
    return at + 1;
  }

  #classify(bytes: Uint8Array, start: number, end: number): void {
    const activity = JSON.parse(`${Buffer.from(bytes.buffer, start, end - start).toString()}}`) as Activity;
    this.#activities.push(activity);
    this.#isic.push(NUMBERS.get(findIsic(activity) ?? null) as number);
  }

  /** `keys` are the activities of the index; `order` has the row of each document; `mains` has the number of its main code. */
  layOut(keys: readonly string[], order: Uint32Array, mains: Narrow) {
    const isicOfKeys = sharedNarrow(keys.length, isicValues.length);
    const isDecided = this.#decide(keys, isicOfKeys);
    const groups = new GrowingNumbers();
    const starts = new GrowingNumbers();
    const { values, starts: listStarts } = this.lists;
    for (let row = 0; row < order.length; row++) {
      starts.push(groups.length);
      for (let at = listStarts.values[row] as number; at < (listStarts.values[row + 1] as number); at++) {
        const number = values.values[at] as number;
        if (isDecided[number] === 0) groups.push(this.#isic.values[number] as number);
      }
    }
    starts.push(groups.length);
    const lists = { groups: groups.values, starts: starts.values.subarray(0, order.length + 1) };
    const others = invert(lists, isicValues.length, order);
    const industries = this.#layOutOthers(mains, order);
    values.release();
    return { isicOfKeys, others, industries };
  }

  /** The industries of each document besides the industry of its main code, which is in `mains`. `order` has the row of each document. */
  #layOutOthers(mains: Narrow, order: Uint32Array) {
    const parents = isicValues.map((code) => (code === null ? [] : industriesOf(code)));
    const { values, starts } = this.lists;
    const isicAt = (at: number) => this.#isic.values[values.values[at] as number] as number;
    /** Each entry has the last byte of a document number and one industry. */
    const entries = new GrowingNumbers();
    const otherIndustryStarts = sharedNumbers((order.length >>> GROUP_SHIFT) + 2);
    /** For each industry, the last document that has it, plus one. */
    const seen = new Uint32Array(industries.length);
    for (let doc = 0; doc < order.length; doc++) {
      const row = order[doc] as number;
      const [from, to] = [starts.values[row] as number, starts.values[row + 1] as number];
      // A single activity is the main activity.
      if (to - from >= 2) {
        for (const industry of parents[mains[doc] as number] as readonly number[]) seen[industry] = doc + 1;
        for (let at = from; at < to; at++) {
          const [section, division] = parents[isicAt(at)] as readonly number[];
          if (section === undefined) continue;
          const isNew = seen[section] !== doc + 1;
          seen[section] = doc + 1;
          if (division === undefined ? !isNew : seen[division] === doc + 1) continue;
          if (division !== undefined) seen[division] = doc + 1;
          entries.push(
            ((doc & 0xff) << 8) | (division ?? section) | (isNew && division !== undefined ? NEW_SECTION : 0),
          );
        }
      }
      otherIndustryStarts[(doc >>> GROUP_SHIFT) + 1] = entries.length;
    }
    const [otherIndustryDocs, otherIndustries] = [sharedBytes(entries.length), sharedBytes(entries.length)];
    for (let at = 0; at < entries.length; at++) {
      const entry = entries.values[at] as number;
      otherIndustryDocs[at] = entry >>> 8;
      otherIndustries[at] = entry;
    }
    return { otherIndustryStarts, otherIndustryDocs, otherIndustries };
  }

  /** Sets the code of each key that has only one code. Returns, for each activity, whether its code is thus known or it has no code. */
  #decide(keys: readonly string[], isicOfKeys: Narrow): Uint8Array {
    const numbers = new Map(keys.map((key, number) => [key, number]));
    const codes = new Map<number, Set<number>>();
    const note = (value: string, isic: number) => {
      const key = numbers.get(findActivityKeys('unlicensed', value)[0]);
      if (key !== undefined) codes.set(key, (codes.get(key) ?? new Set()).add(isic));
      return key;
    };
    const keyOf = this.#activities.map(({ type, code, label }, number) => {
      if (type === 'licensed') return undefined;
      // A search by activity also finds labels, and a label may look like a code.
      if (label !== undefined) note(label, 0);
      return code === undefined ? undefined : note(code, this.#isic.values[number] as number);
    });
    for (const [key, found] of codes) if (found.size === 1) for (const isic of found) isicOfKeys[key] = isic;
    return Uint8Array.from(keyOf, (key, number) => {
      const isAlone = key !== undefined && codes.get(key)?.size === 1;
      return isAlone || this.#isic.values[number] === 0 ? 1 : 0;
    });
  }
}

const [OPEN, CLOSE, QUOTE, BACKSLASH] = [0x7b, 0x7d, 0x22, 0x5c];

/** Finds the end of the JSON object that starts at `start`. */
function findEnd(bytes: Uint8Array, start: number): number {
  let depth = 0;
  for (let at = start; ; at++) {
    const byte = bytes[at] as number;
    if (byte === OPEN) depth++;
    else if (byte === CLOSE) {
      if (--depth === 0) return at + 1;
    } else if (byte === QUOTE) at = findQuote(bytes, at);
  }
}

/** Finds the end of the string that starts at `start`. */
function findQuote(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  for (; bytes[at] !== QUOTE; at++) if (bytes[at] === BACKSLASH) at++;
  return at;
}

const [TYPE, MAIN] = [Buffer.from('"type":"'), Buffer.from(',"main":')];

/**
 * Finds the end of the fields that classification uses. National fields, such as a date, follow `type` and `main`, and would make most
 * activities distinct. A label cannot contain the text `"type":"`, because its quotation marks would be escaped.
 */
function findNational(bytes: Uint8Array, start: number, end: number): number {
  for (let at = start; at < end; at++) {
    if (!startsWith(bytes, at, TYPE)) continue;
    const after = findQuote(bytes, at + TYPE.length - 1) + 1;
    if (!startsWith(bytes, after, MAIN)) return after;
    let next = after + MAIN.length;
    while (bytes[next] !== COMMA && bytes[next] !== CLOSE) next++;
    return next;
  }
  return end - 1;
}

const COMMA = 0x2c;

function startsWith(bytes: Uint8Array, at: number, text: Uint8Array): boolean {
  for (let index = 0; index < text.length; index++) if (bytes[at + index] !== text[index]) return false;
  return true;
}
