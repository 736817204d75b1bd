/** New registration numbers in the form of those in a sample, with right check digits where those are right. */
import type { Register } from '../src/registers/contract.ts';
import type { Company } from './company.ts';

/** Coprime to every power of ten, so that a number repeats only after all others have been used. */
const STRIDE = 618_033_989;

/** How many of the last digits are a serial. Fewer repeat too early, and digits before them may mean something, such as a year. */
const SERIAL = 7;

/** How far the further numbers of a company, such as those of its establishments, are from its first one. */
const PART = 300_007;

/** Some numbers have no check digit. Their place is taken by one from the other half of the range. */
const MAX_TRIES = 100;

export function isChecked({ checkNumber }: Pick<Register, 'checkNumber'>, number: string): boolean {
  return checkNumber?.(number.replace(/[^\p{L}\d]/gu, '').toUpperCase())?.valid === true;
}

/** Returns what writes the number of a company that is a copy of the one with this number. */
export function createNumbers(register: Pick<Register, 'checkNumber'>, owned: ReadonlyMap<string, number>) {
  const numbers = [...owned.keys()];
  const parts = new Map(
    [...Map.groupBy(numbers, (number) => owned.get(number)).values()].flatMap((own) =>
      own.map((number, part) => [number, part]),
    ),
  );
  const endings = new Map<string, string>();
  const formOf = (number: string) => number.replace(/\d/g, '0');
  for (const number of numbers)
    endings.set(formOf(number), findCommonEnding(endings.get(formOf(number)) ?? number, number));

  /** Registers without leading zeros have none in the sample. */
  const zeros = new Set(numbers.filter((number) => number.startsWith('0')).map(formOf));
  const startOf = (number: string) => (/^\d/.test(number) && !zeros.has(formOf(number)) ? 1 : 0);

  function compile(number: string): (company: Company) => string {
    const part = parts.get(number) ?? 0;
    const ending = endings.get(formOf(number)) ?? '';
    const rest = ending.length < number.length ? number.length - ending.length : number.length;
    const checked = isChecked(register, number);
    const digits = Array.from(number.slice(0, rest).matchAll(/\d/g), ({ index }) => index);
    const [start, end] = [
      Math.max(startOf(number), digits.length - SERIAL - (checked ? 1 : 0)),
      checked ? -1 : undefined,
    ];
    const places = digits.slice(start, end);
    const range = 10 ** places.length;
    return (company) => {
      const made = [...number];
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const serial = (company.serial + part * PART + tries * (range / 2 + 1)) % range;
        const text = String((serial * (STRIDE % range)) % range).padStart(places.length, '0');
        for (const [at, place] of places.entries()) made[place] = text[at] ?? '0';
        // Short numbers get one more digit when all have been used.
        if (!checked) return (company.index < range ? '' : Math.floor(company.index / range)) + made.join('');
        const found = completeNumber(register, made.join(''));
        if (found !== null) return found;
      }
      return number;
    };
  }

  const compiled = new Map(numbers.map((number) => [number, compile(number)]));
  return (number: string, company: Company) =>
    company.isSample ? number : (compiled.get(number)?.(company) ?? number);
}

/** Check digits are the last one or two, or the first one or two. Null if the number cannot have any. */
export function completeNumber(register: Pick<Register, 'checkNumber'>, number: string): string | null {
  for (const [pattern, candidates] of CHECKS) {
    for (const candidate of candidates) {
      const tried = number.replace(pattern, candidate);
      if (isChecked(register, tried)) return tried;
    }
  }
  return null;
}

const DIGITS = [...'0123456789'];
const PAIRS = DIGITS.flatMap((first) => DIGITS.map((second) => `${first}${second}`));
/** Check letters are at the end. */
const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

const CHECKS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/\d(?=\D*$)/, DIGITS],
  [/[\dA-Z]$/, [...DIGITS, ...LETTERS]],
  [/\d\d$/, PAIRS],
  [/^\d/, DIGITS],
  [/^\d\d/, PAIRS],
  // Before a suffix that all numbers share.
  [/\d(?=000$)/, DIGITS],
];

function findCommonEnding(one: string, other: string): string {
  let length = 0;
  while (length < one.length && one.at(-length - 1) === other.at(-length - 1)) length++;
  return length === 0 ? '' : one.slice(-length);
}
