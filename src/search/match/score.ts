import { fold } from '../../base/fold.ts';
import { toLatin } from '../../base/romanise.ts';
import { removeSeparators } from '../../base/search-keys.ts';
import { type Comparison, compareForm, compareNames } from './compare.ts';
import { readForm } from './forms.ts';
import type { Candidate, CandidateName, Candidates, MatchQuery } from './matching.ts';
import { type Name, type NamePart, type Rarity, type Rate, readNames } from './name.ts';
import { SMALL_WORDS } from './tokens.ts';
import { DISTINCTIVE_SHARE, type Feature, type Features, GATE_LIMIT, SMOOTHING, weights } from './weights.ts';

/** A candidate with the results of its comparison. */
export interface Scored {
  readonly candidate: Candidate;
  /** The name of the company that fits the query best. */
  readonly name: CandidateName;
  readonly asked: Name;
  readonly known: Name;
  readonly comparison: Comparison;
  readonly evidence: readonly Evidence[];
  /** The sum of the weights of the name, and the sum of all weights. */
  readonly nameSum: number;
  readonly sum: number;
}

/** The maximum number of names of a company that are compared. Some companies have had dozens of names. */
const MAX_NAMES = 30;

/** Creates a function that scores the candidates of a query. Its name is parsed once per country, because legal forms depend on the country. */
export function createScorer(query: MatchQuery, found: Candidates): (candidate: Candidate) => Scored | undefined {
  const rate = createRate(found);
  const readings = new Map<string, Name[]>();
  return (candidate) => {
    const { names, countryCode: country } = candidate;
    const read = (text: string) => readNames(text, country || undefined, rate);
    let best: Compared | undefined;
    for (const name of names.slice(0, MAX_NAMES)) {
      for (const known of read(name.text)) {
        for (const asked of readings.getOrInsertComputed(country, () => read(query.name))) {
          // Two parts of names, such as texts in brackets, are no evidence if they agree.
          if (asked.part === 'other' && known.part === 'other') continue;
          const comparison = compareNames(asked, known, country);
          markKind(comparison.features, name.kind, asked.part, known.part);
          const sum = sumUp(comparison.features);
          const nameSum = comparison.gate === 'numbers differ' ? lowerAtGate(sum) : sum;
          if (best === undefined || nameSum > best.nameSum) best = { name, asked, known, comparison, nameSum };
        }
      }
    }
    if (best === undefined) return undefined;
    const evidence = compareEvidence(query, candidate);
    const sum = evidence.reduce((total, { feature }) => total + weights[feature], best.nameSum);
    return { ...best, candidate, evidence, sum };
  };
}

function createRate(found: Candidates): Rate {
  const total = found.entities + SMOOTHING;
  const scale = 1 / Math.log(total / LEAST);
  const rated = new Map<string, Rarity>();
  return (folded, text) => {
    let one = rated.get(folded);
    if (one === undefined) {
      const own = found.frequency(folded);
      const count = own === 0 && text !== folded ? found.frequency(text) : own;
      const share = (count + LEAST) / total;
      const weight = Math.max(0, -Math.log(share) * scale);
      one = { weight, share, count, isDistinctive: share < DISTINCTIVE_SHARE && !SMALL_WORDS.has(folded) };
      rated.set(folded, one);
    }
    return one;
  };
}

/** A word that no company has counts like a word of half a company. */
const LEAST = 0.5;

type Compared = Omit<Scored, 'evidence' | 'sum' | 'candidate'>;

function markKind(features: Features, kind: CandidateName['kind'], asked: NamePart, known: NamePart): void {
  if (kind !== 'current') features[kind] = 1;
  if (asked === 'other' || known === 'other') features.partOther = 1;
  else if (asked === 'legal' || known === 'legal') features.part = 1;
}

function sumUp(features: Features): number {
  let sum = 0;
  for (const feature in features) sum += weights[feature as Feature] * (features[feature as Feature] ?? 0);
  return sum;
}

/** Lowers the sum of a name that fails a gate. Names that fail gates keep their order among each other. */
function lowerAtGate(sum: number): number {
  return Math.min(sum, GATE_LIMIT + Math.min(0, sum - GATE_SPAN) / GATE_SPAN);
}

/** A value above the sum of any name. */
const GATE_SPAN = 10;

/** The result of comparing one field besides the name. */
interface Evidence {
  readonly feature: Feature;
  readonly value: string;
  readonly text: string;
}

/** Compares the other fields of the query besides the name. A field that the query or the company lacks does not count. */
function compareEvidence(query: MatchQuery, candidate: Candidate): Evidence[] {
  const number = compareNumber(query, candidate);
  const evidence = number === undefined ? [] : [number];
  for (const { field, read, compare } of FIELDS) {
    const asked = query[field];
    // Reading the entity takes longer than comparing, so only fields of the query are read.
    const value = asked ? read(candidate) : undefined;
    const found = asked && value ? compare(asked, value, candidate.countryCode) : undefined;
    if (value && found !== undefined) evidence.push({ feature: found[0], value, text: found[1] });
  }
  return evidence;
}

/** The spellings of a number to look up: VAT numbers with and without their country, GB numbers with leading zeros. */
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

interface Field {
  readonly field: 'city' | 'postcode' | 'legalForm' | 'registeredAt' | 'status';
  readonly read: (candidate: Candidate) => string | null;
  /** What the values mean, with its reason; undefined if they count neither for nor against the company. */
  readonly compare: (asked: string, known: string, country: string) => readonly [Feature, text: string] | undefined;
}

/** In the order of the reasons. */
const FIELDS: readonly Field[] = [
  { field: 'city', read: ({ entity }) => entity.city, compare: compareCity },
  { field: 'postcode', read: ({ postcode }) => postcode, compare: comparePostcode },
  { field: 'legalForm', read: ({ entity }) => entity.legalForm, compare: compareLegalForm },
  { field: 'registeredAt', read: ({ entity }) => entity.registeredAt, compare: compareDate },
  { field: 'status', read: ({ entity }) => entity.status, compare: compareStatus },
];

function compareCity(asked: string, known: string): ReturnType<Field['compare']> {
  const [a, b] = [plain(asked), plain(known)];
  if (a === '' || b === '') return undefined;
  const isSame = ` ${a} `.includes(` ${b} `) || ` ${b} `.includes(` ${a} `);
  return isSame ? ['city', `It is in ${known}`] : ['cityOther', `It is in ${known}, not in ${asked}`];
}

function comparePostcode(asked: string, known: string): ReturnType<Field['compare']> {
  const [a, b] = [plain(asked).replaceAll(' ', ''), plain(known).replaceAll(' ', '')];
  if (a === '' || b === '') return undefined;
  if (a === b) return ['postcode', `Its postcode is ${known}`];
  if (a.slice(0, AREA_LENGTH) === b.slice(0, AREA_LENGTH))
    return ['postcodeArea', `Its postcode ${known} is near ${asked}`];
  return ['postcodeOther', `Its postcode is ${known}, not ${asked}`];
}

/** In most countries the first two characters of a postcode are a region. */
const AREA_LENGTH = 2;

function compareLegalForm(asked: string, known: string, country: string): ReturnType<Field['compare']> {
  const [a, b] = [readForm(asked, country), readForm(known, country)];
  const { formEqual, formOther, formCountry } = a && b ? compareForm([a], [b]) : {};
  if (formEqual || plain(asked) === plain(known)) return ['legalForm', `Its legal form is ${known}`];
  return formOther || formCountry ? ['legalFormOther', `Its legal form is ${known}, not ${asked}`] : undefined;
}

function compareDate(asked: string, known: string): ReturnType<Field['compare']> {
  if (known.startsWith(asked) || asked.startsWith(known)) return ['registeredAt', `It was registered on ${known}`];
  const isSameYear = known.slice(0, 4) === asked.slice(0, 4);
  return [isSameYear ? 'registeredYear' : 'registeredOther', `It was registered on ${known}, not ${asked}`];
}

function compareStatus(asked: string, known: string): ReturnType<Field['compare']> {
  if (known === 'unknown') return undefined;
  return asked === known
    ? ['status', `Its status is ${known}`]
    : ['statusOther', `Its status is ${known}, not ${asked}`];
}

function plain(text: string): string {
  return toLatin(fold(text.slice(0, 200)))
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
