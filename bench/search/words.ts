import { createChance } from '../../synthetic/chance.ts';

/** The words that names are invented from: those that are common in real registers, and a long tail. */

/** Most frequent first. Picked by a power law, so that the first ones occur in one of ten names. */
export const TRADES =
  'services holdings properties management consulting construction solutions group property trading investments design engineering developments consultancy transport international systems home building cleaning technologies media estates capital health logistics electrical training marketing care global digital foods lettings support security contractors maintenance motors energy partners financial recruitment education enterprises associates studio catering plumbing supplies travel ventures retail industries motorsport software interiors productions beauty fashion entertainment communications landscapes joinery roofing heating dental medical legal accounting brewery farms bakery books music films sports fitness pharmacy optical printing packaging plastics metals machinery automation robotics analytics insurance mortgages leasing shipping aviation marine fisheries forestry mining petroleum renewables solar wind water waste recycling chemicals textiles furniture jewellery antiques gallery theatre events hospitality hotels'.split(
    ' ',
  );

export const TOWNS =
  'london manchester birmingham leeds glasgow bristol liverpool cardiff edinburgh sheffield oslo bergen tallinn riga tartu trondheim stavanger chisinau york oxford cambridge bath kent essex devon cornwall dorset norfolk suffolk surrey sussex camden chelsea hackney greenwich croydon richmond windsor reading luton derby leicester coventry durham lincoln chester preston bolton wigan swansea newport belfast dundee aberdeen inverness stirling perth paisley larne bangor'.split(
    ' ',
  );

/** The number of possible words per script. With the power law below, 5 M names contain about 600,000 of them in all. */
const VOCABULARY = 500_000;
/** Flattens the head of the distribution: the most frequent invented word occurs in one of 300 names, as surnames do. */
const SHIFT = 30;

const ONSETS = 'b br c ch cl d dr f fl g gr h j k l m n p pr r s sh st t th tr v w z'.split(' ');
const VOWELS = 'a a e e i o o u ai ea ee oo ou y'.split(' ');
const CODAS = ['', '', '', 'l', 'm', 'n', 'n', 'r', 'r', 's', 't', 'nd', 'ck', 'x'];
const TAILS = 'ton ford well field land tech soft med by ham wood worth ley son man gate bridge er ia ex'.split(' ');

const words: string[] = [];

/** Returns the word of this rank, created on first use. */
function wordAt(rank: number): string {
  words[rank] ??= makeWord(rank);
  return words[rank] as string;
}

function makeWord(rank: number): string {
  const chance = createChance(rank * 2_654_435_761);
  const syllables = rank < 3_000 ? chance.between(1, 2) : chance.between(2, 3);
  let word = '';
  for (let count = 0; count < syllables; count++)
    word += chance.pick(ONSETS) + chance.pick(VOWELS) + chance.pick(CODAS);
  return chance.is(0.3) ? word + chance.pick(TAILS) : word;
}

/** Zipf-like: the probability of a word is inverse to its rank. `share` is uniform, 0 ≤ share < 1. */
export function pickWord(share: number): string {
  return wordAt(pickRank(VOCABULARY, share, SHIFT));
}

/**
 * Picks one of more names than there are cities, because a register spells a city in several ways: that of the United
 * Kingdom has 100,000 names of cities.
 */
export function pickCity(share: number): string {
  return wordAt(pickRank(CITIES, share, 3)).toUpperCase();
}

const CITIES = 120_000;

/** Picks an item, the first ones far more often than the last. A shift flattens the head. */
export function pickSkewed<T>(items: readonly T[], share: number, shift = 0): T {
  return items[pickRank(items.length, share, shift)] as T;
}

/** The probability of a rank, counted from 0, is inverse to rank + shift + 1. */
function pickRank(count: number, share: number, shift: number): number {
  const least = 1 + shift;
  return Math.floor(least * Math.exp(share * Math.log((count + least) / least))) - least;
}

const CYRILLIC: Readonly<Record<string, string>> = Object.fromEntries(
  [...'abcdefghijklmnopqrstuvwxyz'].map((letter, index) => [letter, 'абцдефгхийклмнопкрстувшжиз'[index] ?? letter]),
);
const GREEK: Readonly<Record<string, string>> = Object.fromEntries(
  [...'abcdefghijklmnopqrstuvwxyz'].map((letter, index) => [letter, 'αβκδεφγηίζκλμνόπκρστυβωξύζ'[index] ?? letter]),
);

export function toCyrillic(text: string): string {
  return text.replace(/[a-z]/g, (letter) => CYRILLIC[letter] ?? letter);
}

export function toGreek(text: string): string {
  return text.replace(/[a-z]/g, (letter) => GREEK[letter] ?? letter);
}

interface Activity {
  readonly code: string;
  readonly label: string;
  readonly written: string;
}

const VERBS =
  'Manufacture of|Wholesale of|Retail sale of|Repair of|Rental and leasing of|Installation of|Agents involved in the sale of|Other service activities for|Research and development on|Growing or production of|Transport and storage of|Design of|Testing and analysis of|Processing of'.split(
    '|',
  );
const GOODS =
  'bread and fresh pastry|computers and software|electrical equipment|furniture|real estate|motor vehicles|textiles|wearing apparel|footwear|basic metals|fabricated metal products|machinery n.e.c.|paper and paper products|plastics|glass and glass products|pharmaceutical preparations|fruit and vegetables|meat products|dairy products|beverages|tobacco|timber|books and newspapers|music and video recordings|optical instruments|medical devices|toys and games|sports goods|jewellery|musical instruments|household goods|agricultural machinery|construction materials|fuels|chemicals|waste and scrap|live animals|flowers and plants|fish and crustaceans|coffee, tea and spices|telecommunications equipment|office machinery|ships and boats|aircraft|railway rolling stock|bicycles|cleaning products|cosmetics|leather goods|carpets and rugs'.split(
    '|',
  );

/** 700 activities, most frequent first, each with a code like those of national lists and a label. */
export const ACTIVITIES: readonly Activity[] = VERBS.flatMap((verb, row) =>
  GOODS.map((goods, column) => {
    const code = String(10_110 + row * 5_030 + column * 100);
    const label = `${verb} ${goods}`;
    return { code, label, written: `${code} - ${label}` };
  }),
).sort((a, b) => (scramble(a.code) < scramble(b.code) ? -1 : 1));

function scramble(code: string): string {
  return [...code].reverse().join('');
}
