import type { Pair } from './align.ts';
import type { Candidates } from './candidates.ts';
import type { Reason } from './matching.ts';
import type { Name } from './name.ts';
import type { Scored } from './score.ts';
import { type Feature, weights } from './weights.ts';

/** What counts, in words. The weights of all reasons add up to the sum that the score is computed from. */
export function describeReasons(scored: Scored, found: Candidates): Reason[] {
  const { comparison, name, evidence, nameSum } = scored;
  const { features } = comparison;
  const together = (...names: Feature[]) => names.reduce((sum, one) => sum + (features[one] ?? 0) * weights[one], 0);
  const reasons: Reason[] = [];
  const add = (feature: string, value: string, weight: number, text: string) => {
    if (Math.abs(weight) >= 0.005) reasons.push({ feature, value, weight: Math.round(weight * 100) / 100, text });
  };
  const agreeing = wordsOf(
    scored.known,
    comparison.alignment.pairs.flatMap(({ known }) => known),
  );
  add(
    'name',
    agreeing,
    together('start', 'equal', 'sameWords', 'rarity', 'lead', 'cut'),
    describeAgreement(scored, found, agreeing),
  );
  for (const one of DESCRIBED) {
    // Most are missing, and writing them would take longer than comparing the names.
    if (!features[one]) continue;
    const value = one === 'former' || one === 'other' ? name.text : describeValue(one, scored);
    add(one, value, together(one), TEXTS[one](value));
  }
  if (comparison.gate === 'numbers differ')
    add(
      'gate',
      comparison.gate,
      nameSum - Object.keys(features).reduce((sum, one) => sum + together(one as Feature), 0),
      'The numbers in the names differ',
    );
  for (const { feature, value, text } of evidence) add(feature, value, weights[feature], text);
  return reasons;
}

const DESCRIBED = [
  'askedAlone',
  'knownAlone',
  'askedRare',
  'knownRare',
  'bothAlone',
  'bothWhole',
  'spelling',
  'typo',
  'knownTypo',
  'shortTypo',
  'startTypo',
  'shortened',
  'related',
  'initials',
  'joined',
  'common',
  'indistinct',
  'order',
  'formEqual',
  'formMissing',
  'formOther',
  'formCountry',
  'placeAlone',
  'placeOther',
  'numberAsked',
  'numberKnown',
  'former',
  'other',
  'part',
  'partOther',
] as const;

const TEXTS: Readonly<Record<(typeof DESCRIBED)[number], (value: string) => string>> = {
  askedAlone: (value) => `The company's name lacks “${value}”`,
  knownAlone: (value) => `The company's name also has “${value}”`,
  bothAlone: () => 'Each name has words that the other lacks',
  bothWhole: () => 'Both names have a legal form, so neither is shortened',
  spelling: (value) => `The same in another script: ${value}`,
  typo: (value) => `Spelled differently: ${value}`,
  knownTypo: (value) => `Both spellings are words of other companies: ${value}`,
  shortTypo: (value) => `Another letter in a short word: ${value}`,
  startTypo: (value) => `Another first letter: ${value}`,
  askedRare: (value) => `“${value}” is distinctive`,
  knownRare: (value) => `“${value}” is distinctive`,
  related: (value) => `Related words: ${value}`,
  shortened: (value) => `Shortened: ${value}`,
  initials: (value) => `Initials: ${value}`,
  joined: (value) => `Joined or split: ${value}`,
  common: () => 'One of the names has only common words, and the names differ',
  indistinct: () => 'No distinctive word agrees',
  order: () => 'The words are in another order',
  formEqual: () => 'The legal form is of the same class',
  formMissing: () => 'Only one of the names has a legal form',
  formOther: () => 'The legal form is of another class',
  formCountry: () => 'The legal form is of another country',
  placeAlone: () => 'Only one of the names has a country',
  placeOther: () => 'The names have different countries',
  numberAsked: () => "Your name has a number that the company's name lacks",
  numberKnown: () => "The company's name has a number that yours lacks",
  former: (value) => `A former name: ${value}`,
  other: (value) => `Another name of the company: ${value}`,
  part: () => 'The name before or after “trading as” agrees',
  partOther: () => 'Only a part of the name agrees',
};

function describeAgreement({ comparison, known }: Scored, found: Candidates, agreeing: string): string {
  if (agreeing === '') return 'No word agrees';
  const rarest = comparison.alignment.pairs
    .flatMap((pair) => pair.known.map((at) => known.words[at]?.folded ?? ''))
    .map((word) => ({ word, count: found.frequency(word) }))
    .sort((a, b) => a.count - b.count)[0];
  const how = comparison.features.equal ? 'The names are the same' : `“${agreeing}” agrees`;
  if (rarest === undefined || rarest.count === 0) return how;
  return `${how}; ${formatCount(rarest.count)} of ${formatCount(found.entities)} companies have “${rarest.word}”`;
}

function describeValue(feature: string, { comparison: { alignment }, asked, known }: Scored): string {
  if (feature === 'askedAlone' || feature === 'askedRare') return wordsOf(asked, alignment.aloneAsked);
  if (feature === 'knownAlone' || feature === 'knownRare') return wordsOf(known, alignment.aloneKnown);
  if (feature.startsWith('form'))
    return [asked, known].map(({ forms }) => forms.map(({ spelling }) => spelling).join(' ') || '–').join(' / ');
  if (feature.startsWith('place'))
    return [asked, known].map(({ words }) => words.find(({ place }) => place !== undefined)?.text ?? '–').join(' / ');
  if (feature.startsWith('number')) return [asked, known].map(({ numbers }) => numbers.join(' ') || '–').join(' / ');
  const kind = feature.endsWith('Typo') ? 'typo' : feature;
  const pairs = alignment.pairs.filter((pair) => pair.kind === kind);
  return pairs.map((pair) => describePair(pair, asked, known)).join(', ');
}

function describePair(pair: Pair, asked: Name, known: Name): string {
  return `${wordsOf(asked, pair.asked)} / ${wordsOf(known, pair.known)}`;
}

function wordsOf({ words }: Name, positions: readonly number[]): string {
  return [...positions]
    .sort((a, b) => a - b)
    .map((at) => words[at]?.folded ?? '')
    .join(' ')
    .slice(0, MAX_VALUE_LENGTH);
}

const MAX_VALUE_LENGTH = 100;

/** With commas. `toLocaleString` would take longer than everything else here. */
function formatCount(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}
