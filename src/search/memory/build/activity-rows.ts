import { type ClassifiableActivity, findIsic, isicCodes } from '../../../registers/classifications/isic.ts';
import { levelOf } from '../../../registers/classifications/isic-code.ts';
import { industriesOf } from '../encodings.ts';
import { sharedBytes, sharedNumbers } from '../shared-arrays.ts';
import { ByteTable, createLists } from './byte-table.ts';
import type { Chunk } from './chunk.ts';

/** The ISIC codes by number: 0 stands for no code. */
export const isicValues: readonly (string | null)[] = [null, ...isicCodes];

const NUMBERS = new Map(isicValues.map((code, number) => [code, number]));
/** The level of each code in the hierarchy, to choose the main code of several. */
const DEPTHS = Uint8Array.from(isicValues, (code) =>
  code === null ? 0 : levelOf(code) === 'section' ? 1 : code.length,
);
const INDUSTRIES = isicValues.map((code) => (code === null ? [] : industriesOf(code)));

interface Activity extends ClassifiableActivity {
  /** The number of its code. */
  readonly isic: number;
}

/** The ISIC codes of all rows. Activities of the store are JSON; each distinct activity is parsed and classified once. */
export class ActivityRows {
  readonly #table = new ByteTable();
  readonly #activities: Activity[] = [];
  /** The numbers of the codes of each row's activities. */
  readonly lists = createLists();
  /** By number: the main code and the industries of a combination. Few combinations occur. */
  readonly #combinations: { readonly main: number; readonly industries: readonly number[] }[] = [];
  readonly #numbers = new Map<string, number>();
  /** For each combination and code of a further activity that occurred, the combination of both. */
  readonly #extended = new Map<number, number>();

  get combinationCount(): number {
    return this.#combinations.length;
  }

  /**
   * Reads the list of activities, or null, at `start`. Returns where the next value starts, and the number of the row's combination. The
   * rules for the main code are those of `findMainIsic`.
   */
  add(chunk: Chunk, start: number): { readonly end: number; readonly combination: number } {
    const { values, starts } = this.lists;
    const from = values.length;
    starts.push(from);
    const { bytes } = chunk;
    let [main, first, hasMain, hasFirst] = [0, 0, false, false];
    let at = start;
    while (bytes[at] !== 0) {
      if (bytes[at] !== OPEN) {
        at++;
        continue;
      }
      const end = findEnd(bytes, at);
      const { isic, ...activity } = this.#read(chunk, at, findNational(bytes, at, end));
      values.push(isic);
      if (activity.main === true) {
        hasMain = true;
        if ((DEPTHS[isic] as number) > (DEPTHS[main] as number)) main = isic;
      } else if (!hasFirst && activity.type !== 'licensed') {
        hasFirst = true;
        first = isic;
      }
      at = end;
    }
    if (!hasMain) main = first;
    let combination = this.#extend(NONE, main);
    // A single activity is the main activity.
    if (values.length - from > 1) {
      for (let next = from; next < values.length; next++) {
        combination = this.#extend(combination, values.values[next] as number);
      }
    }
    return { end: at + 1, combination };
  }

  #read(chunk: Chunk, start: number, end: number): Activity {
    const number = this.#table.addRange(chunk, start, end);
    if (number === this.#activities.length) {
      const json = Buffer.from(chunk.bytes.buffer, start, end - start).toString();
      const activity = JSON.parse(`${json}}`) as ClassifiableActivity;
      this.#activities.push({ ...activity, isic: NUMBERS.get(findIsic(activity) ?? null) as number });
    }
    return this.#activities[number] as Activity;
  }

  /** Adds the industries of a code to a combination. The first code is the main code. */
  #extend(combination: number, isic: number): number {
    const key = (combination + 1) * isicValues.length + isic;
    const known = this.#extended.get(key);
    if (known !== undefined) return known;
    const { main, industries } = this.#combinations[combination] ?? { main: isic, industries: [] };
    const all = [...new Set([...industries, ...(INDUSTRIES[isic] as readonly number[])])].sort((a, b) => a - b);
    const extended = this.#numbers.getOrInsertComputed(
      `${main} ${all}`,
      () => this.#combinations.push({ main, industries: all }) - 1,
    );
    this.#extended.set(key, extended);
    return extended;
  }

  /** The combinations as arrays of the index. */
  layOut() {
    const industryIsic = sharedNumbers(this.#combinations.length);
    const industryStarts = sharedNumbers(this.#combinations.length + 1);
    for (const [number, { main, industries }] of this.#combinations.entries()) {
      industryIsic[number] = main;
      industryStarts[number + 1] = (industryStarts[number] as number) + industries.length;
    }
    const industryLists = sharedBytes(industryStarts[this.#combinations.length] as number);
    industryLists.set(this.#combinations.flatMap(({ industries }) => industries));
    return { industryIsic, industryStarts, industryLists };
  }
}

const NONE = -1;

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
