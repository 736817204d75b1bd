import { fold } from '../../base/fold.ts';
import { toLatin } from '../../base/romanise.ts';
import { removeSeparators } from '../../base/search-keys.ts';
import { type Comparison, compareForm, compareNames } from './compare.ts';
import { readForm } from './forms.ts';
import type { Candidate, CandidateName, Candidates, MatchQuery } from './matching.ts';
import { type Name, type NamePart, readNames } from './name.ts';
import { createRarity } from './rarity.ts';
import { type Feature, type Features, GATE_LIMIT, weights } from './weights.ts';

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
  const rarity = createRarity(found);
  const readings = new Map<string, Name[]>();
  const readAsked = (country: string) => {
    const known = readings.get(country) ?? readNames(query.name, country === '' ? undefined : country);
    readings.set(country, known);
    return known;
  };
  const compare = (names: readonly CandidateName[], country: string) => {
    let best: Compared | undefined;
    for (const name of names.slice(0, MAX_NAMES)) {
      for (const known of readNames(name.text, country === '' ? undefined : country)) {
        for (const asked of readAsked(country)) {
          // Two parts of names, such as texts in brackets, are no evidence if they agree.
          if (asked.part === 'other' && known.part === 'other') continue;
          const comparison = compareNames(asked, known, country, rarity);
          markKind(comparison.features, name.kind, asked.part, known.part);
          const sum = sumUp(comparison.features);
          const nameSum = comparison.gate === 'numbers differ' ? lowerAtGate(sum) : sum;
          if (best === undefined || nameSum > best.nameSum) best = { name, asked, known, comparison, nameSum };
        }
      }
    }
    return best;
  };
  /** Caches comparisons by country and names, because many companies have equal names. */
  const compared = new Map<string, Compared | undefined>();
  return (candidate) => {
    const { names, countryCode } = candidate;
    let key = countryCode;
    for (const { kind, text } of names) key += `\n${kind} ${text}`;
    if (!compared.has(key)) compared.set(key, compare(names, countryCode));
    const best = compared.get(key);
    if (best === undefined) return undefined;
    const evidence = compareEvidence(query, candidate);
    const sum = evidence.reduce((total, { feature }) => total + weights[feature], best.nameSum);
    return { ...best, candidate, evidence, sum };
  };
}

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
  if (ENTITY_FIELDS.every((field) => query[field] === undefined)) return number === undefined ? [] : [number];
  const { entity } = candidate;
  return [
    number,
    compareCity(query.city, entity.city),
    comparePostcode(query.postcode, candidate.postcode),
    compareLegalForm(query.legalForm, entity.legalForm, entity.countryCode),
    compareDate(query.registeredAt, entity.registeredAt),
    compareStatus(query.status, entity.status),
  ].filter((one) => one !== undefined);
}

/** The fields for which the entity must be read. Reading takes longer than comparing, so it is avoided for other queries. */
const ENTITY_FIELDS = ['city', 'postcode', 'legalForm', 'registeredAt', 'status'] as const;

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

function compareCity(asked: string | undefined, known: string | null): Evidence | undefined {
  const [a, b] = [plain(asked), plain(known)];
  if (a === '' || b === '') return undefined;
  const value = known ?? '';
  if (a === b || ` ${a} `.includes(` ${b} `) || ` ${b} `.includes(` ${a} `))
    return { feature: 'city', value, text: `It is in ${value}` };
  return { feature: 'cityOther', value, text: `It is in ${value}, not in ${asked}` };
}

function comparePostcode(asked: string | undefined, known: string | null): Evidence | undefined {
  const [a, b] = [plain(asked).replaceAll(' ', ''), plain(known).replaceAll(' ', '')];
  if (a === '' || b === '') return undefined;
  const value = known ?? '';
  if (a === b) return { feature: 'postcode', value, text: `Its postcode is ${value}` };
  if (a.slice(0, AREA_LENGTH) === b.slice(0, AREA_LENGTH))
    return { feature: 'postcodeArea', value, text: `Its postcode ${value} is near ${asked}` };
  return { feature: 'postcodeOther', value, text: `Its postcode is ${value}, not ${asked}` };
}

/** In most countries the first two characters of a postcode are a region. */
const AREA_LENGTH = 2;

function compareLegalForm(asked: string | undefined, known: string | null, country: string): Evidence | undefined {
  if (!asked || !known) return undefined;
  const value = known;
  const isSame = plain(asked) === plain(known);
  const [a, b] = [readForm(asked, country), readForm(known, country)];
  const compared = isSame ? { formEqual: 1 } : a && b ? compareForm([a], [b]) : {};
  if (compared.formEqual) return { feature: 'legalForm', value, text: `Its legal form is ${value}` };
  if ('formOther' in compared || 'formCountry' in compared)
    return { feature: 'legalFormOther', value, text: `Its legal form is ${value}, not ${asked}` };
  return undefined;
}

function compareDate(asked: string | undefined, known: string | null): Evidence | undefined {
  if (!asked || !known) return undefined;
  const value = known;
  if (known.startsWith(asked) || asked.startsWith(known))
    return { feature: 'registeredAt', value, text: `It was registered on ${value}` };
  const isSameYear = known.slice(0, 4) === asked.slice(0, 4);
  return {
    feature: isSameYear ? 'registeredYear' : 'registeredOther',
    value,
    text: `It was registered on ${value}, not ${asked}`,
  };
}

function compareStatus(asked: string | undefined, known: string): Evidence | undefined {
  if (!asked || known === 'unknown') return undefined;
  if (asked === known) return { feature: 'status', value: known, text: `Its status is ${known}` };
  return { feature: 'statusOther', value: known, text: `Its status is ${known}, not ${asked}` };
}

function plain(text: string | null | undefined): string {
  return toLatin(fold((text ?? '').slice(0, 200)))
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
