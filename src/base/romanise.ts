import { fold } from './fold.ts';

/**
 * Names of other alphabets in Latin letters, by the tables that passports, mapmakers and libraries use: one per language and use.
 *
 * Hebrew and Arabic are left as they are. They are written without most vowels, so that a table of letters makes `shlvm` of `shalom`: nobody
 * types that, and guessed vowels are wrong more often than right. Chinese and Japanese need dictionaries.
 */

/**
 * The spellings of a name in Latin letters, folded, without apostrophes and distinct, the spelling of passports first; none if the name has no letter
 * of these alphabets. The name must not be folded: folding would make one letter of и and й.
 */
export function romanise(name: string, country?: string): string[] {
  if (!CONVERTED.test(name)) return [];
  const text = removeApostrophes(separateScripts(name.normalize('NFC').toLowerCase()));
  const language = languageOf(text, country);
  const words = text.split(' ').map((word) => romaniseWord(word, language));
  const join = (system: number) =>
    words
      .map((forms) => forms[system])
      .filter((form) => form !== '')
      .join(' ');
  return [...new Set(SYSTEMS[language].map((_, system) => join(system)))];
}

function romaniseWord(word: string, language: Language): readonly string[] {
  const known = knownWords[language];
  let forms = known.get(word);
  if (forms === undefined) {
    if (known.size >= MAX_KNOWN) known.clear();
    const text = language === 'el' ? simplifyGreek(word) : word;
    forms = SYSTEMS[language].map((system) => fold(convert(text, system)));
    known.set(word, forms);
  }
  return forms;
}

/** Folded text in its most common spelling in Latin letters. Text without letters of these alphabets is returned unchanged. */
export function toLatin(folded: string): string {
  if (!CONVERTED.test(folded)) return folded;
  const text = separateScripts(folded);
  return convert(text, UKRAINIAN.test(text) ? UKRAINIAN_BGN : USUAL);
}

/** Letters that look alike are often typed in the wrong script (`CВIТАНОК`): each word gets the script of most of its letters. */
export function separateScripts(lowerCase: string): string {
  // Most texts have letters of one script, and searching for words that mix two scripts takes long.
  if (!LATIN.test(lowerCase)) return lowerCase;
  return lowerCase.replace(MIXED, (word) => {
    const isCyrillic = (word.match(CYRILLIC) ?? []).length * 2 >= word.length;
    const shapes = isCyrillic ? CYRILLIC_SHAPES : LATIN_SHAPES;
    return Array.from(word, (letter) => shapes.get(letter) ?? letter).join('');
  });
}

const CONVERTED = /[\u0370-\u03ff\u0400-\u0588\u10a0-\u10ff\u1c90-\u1cbf\u1f00-\u1fff]/;
const LATIN = /[a-z]/;
const MIXED = /\p{L}*(?:[a-z][\u0400-\u052f]|[\u0400-\u052f][a-z])\p{L}*/gu;
const CYRILLIC = /[\u0400-\u052f]/g;

function removeApostrophes(text: string): string {
  return APOSTROPHE.test(text) ? text.replace(APOSTROPHES, '') : text;
}

const APOSTROPHE = /['`\u00b4\u02bc\u2018\u2019\u2032]/;
const APOSTROPHES = /(?<=\p{L})['`\u00b4\u02bc\u2018\u2019\u2032](?=\p{L})/gu;

const SHAPES = 'aа bв cс eе hн iі kк mм oо pр tт xх yу'.split(' ');
const CYRILLIC_SHAPES = new Map(SHAPES.map(([latin = '', cyrillic = '']) => [latin, cyrillic]));
const LATIN_SHAPES = new Map(SHAPES.map(([latin = '', cyrillic = '']) => [cyrillic, latin]));

type Language = 'ru' | 'uk' | 'be' | 'bg' | 'sr' | 'mk' | 'kk' | 'ky' | 'mn' | 'el' | 'ka' | 'hy';

/** Some letters show the language; otherwise the country decides. A company of Ukraine may have a name in Russian. */
function languageOf(text: string, country = ''): Language {
  let best = TELLING.length + 1;
  for (let at = 0; at < text.length; at++) best = Math.min(best, tellingOf[text.charCodeAt(at)] || best);
  const own = LANGUAGE_OF[country] ?? 'ru';
  const languages = TELLING[best - 1]?.[1] ?? [];
  return languages.includes(own) ? own : (languages[0] ?? own);
}

const UKRAINIAN = /[іїґє]/;
const LANGUAGE_OF: Readonly<Record<string, Language>> = {
  ...{ UA: 'uk', BY: 'be', BG: 'bg', RS: 'sr', ME: 'sr', BA: 'sr', MK: 'mk', KZ: 'kk', KG: 'ky', MN: 'mn' },
};
const GREEK = /[\u0370-\u03ff\u1f00-\u1fff]/;
/** The letters that only some languages use. The first row with a letter of the name decides. */
const TELLING: readonly (readonly [letters: RegExp, languages: readonly Language[]])[] = [
  [GREEK, ['el']],
  [/[\u10a0-\u10ff]/, ['ka']],
  [/[\u0530-\u0588]/, ['hy']],
  [/[ѓќѕ]/, ['mk']],
  [/[ђљњћџј]/, ['sr', 'mk']],
  [/[әғқңөұүһ]/, ['kk', 'ky', 'mn']],
  [/ў/, ['be']],
  [UKRAINIAN, ['uk', 'be', 'kk']],
  [/[ыэё]/, ['ru', 'be', 'ky', 'mn']],
];
/** The number of the row of `TELLING` for each character, 0 for none. */
const tellingOf = Uint8Array.from(
  { length: 0x2000 },
  (_, code) => 1 + TELLING.findIndex(([letters]) => letters.test(String.fromCharCode(code))),
);

/** The replacement of a letter, by its code. A letter whose replacement depends on its neighbours has rules; the first that fits applies. */
type System = readonly (string | readonly Rule[] | undefined)[];

interface Rule {
  /** The letter, with the letters after it that the rule replaces too. */
  readonly letters: string;
  readonly to: string;
  /** The neighbours that the rule requires: see `parseSystem`. */
  readonly before: string;
  readonly after: string;
}

/**
 * Reads pairs of letters and their replacement, `-` for none. `^` is the start of a word, `$` its end, `*` the start or a vowel, й, ъ, ь or ў before
 * the letter, `+` a Greek vowel or voiced consonant after it. Later tables replace rules of earlier ones.
 */
function parseSystem(...tables: readonly string[]): System {
  const rules = new Map<string, Rule>();
  for (const [, key = '', before = '', letters = '', after = '', to = ''] of tables.join(' ').matchAll(RULE))
    rules.set(key, { letters, to: to === '-' ? '' : to, before, after });
  const rank = ({ letters, before, after }: Rule) => 4 * letters.length + 2 * before.length + after.length;
  const system: (string | Rule[])[] = [];
  for (const [code, all] of Map.groupBy(rules.values(), ({ letters }) => letters.charCodeAt(0))) {
    const [only] = all;
    const isPlain = all.length === 1 && only !== undefined && only.letters.length + only.before.length === 1;
    system[code] = isPlain ? only.to : all.sort((a, b) => rank(b) - rank(a));
  }
  return system;
}

const RULE = /(([*^]?)(\p{L}+)([$+]?)) (\S+)/gu;

function convert(text: string, system: System): string {
  let latin = '';
  for (let at = 0; at < text.length; ) {
    const entry = system[text.charCodeAt(at)];
    if (typeof entry === 'object') {
      const rule = entry.find((one) => fits(one, text, at));
      latin += rule?.to ?? text[at];
      at += rule?.letters.length ?? 1;
    } else {
      latin += entry ?? text[at];
      at++;
    }
  }
  return latin;
}

function fits({ letters, before, after }: Rule, text: string, at: number): boolean {
  if (letters.length > 1 && !text.startsWith(letters, at)) return false;
  const next = text[at + letters.length] ?? '';
  if ((after === '$' && LETTER.test(next)) || (after === '+' && !VOICED.test(next))) return false;
  const last = text[at - 1] ?? '';
  return before === '' || !LETTER.test(last) || (before === '*' && OPEN.test(last));
}

const LETTER = /\p{L}/u;
const OPEN = /[аеёиіїєоуыэюяйъьў]/;
const VOICED = /[αεηιουωβγδζλμνρ]/;

/** Removes accents. Two vowels that are pronounced separately stay separate. */
function simplifyGreek(text: string): string {
  return text.replace(/[ϋΰ]/g, 'y').normalize('NFD').replace(/\p{M}/gu, '').replaceAll('ς', 'σ');
}

/** Letters that all English tables write alike, and letters that only a few languages have. */
const ENGLISH =
  'а a б b в v г g ґ g д d е e ё e ж zh з z и i і i ї i й y к k л l м m н n о o п p р r с s т t у u ў u ф f х kh ц ts ч ch ш sh щ shch ' +
  'ъ - ы y ь - э e ю yu я ya є ye ђ dj ј j љ lj њ nj ћ c џ dz ѕ dz ѓ gj ќ kj ә a ғ g қ k ң n ө o ұ u ү u һ h';
/** ICAO Doc 9303, which the passports of most countries follow. */
const PASSPORT = 'й i ю iu я ia';
/** BGN/PCGN 1947 of Russian. */
const INITIAL_YE = '*е ye *ё ye';
/** ISO 9:1995 without its diacritics: one letter for each letter. */
const ISO_9 = parseSystem(ENGLISH, 'ж z й j х h ц c ч c ш s щ s ю u я a є e ђ d љ l њ n ћ c џ d ѕ z ѓ g ќ k');
const UKRAINIAN_LETTERS = 'г h и y зг zgh';
const UKRAINIAN_BGN = parseSystem(ENGLISH, UKRAINIAN_LETTERS, 'ї yi');
const BALKAN = 'ж z х h ц c ч c ш s';

/** ELOT 743 of 1982, which BGN/PCGN adopted in 1996; and ISO 843, letter by letter. */
const GREEK_LETTERS =
  'α a β v γ g δ d ε e ζ z η i θ th ι i κ k λ l μ m ν n ξ x ο o π p ρ r σ s ς s τ t υ y φ f χ ch ψ ps ω o ου ou';
const GREEK_SPOKEN = 'αυ+ av αυ af ευ+ ev ευ ef ηυ+ iv ηυ if γγ ng γξ nx γχ nch ^μπ b μπ$ b';
const GREEK_WRITTEN = 'αυ au ευ eu ηυ iu';
/** The national system of 2002, also BGN/PCGN 2009, and ISO 9984. */
const GEORGIAN =
  'ა a ბ b გ g დ d ე e ვ v ზ z თ t ი i კ k ლ l მ m ნ n ო o პ p ჟ zh რ r ს s ტ t უ u ფ p ქ k ღ gh ყ q შ sh ჩ ch ც ts ძ dz წ ts ჭ ch ხ kh ჯ j ჰ h';
const GEORGIAN_ISO = 'ჟ z ღ g შ s ჩ c ც c ძ j წ c ჭ c ხ x';
/** BGN/PCGN 1981 and ISO 9985. */
const ARMENIAN =
  'ա a բ b գ g դ d ե e ^ե ye զ z է e ը y թ t ժ zh ի i լ l խ kh ծ ts կ k հ h ձ dz ղ gh ճ ch մ m յ y ն n շ sh ո o ^ո vo չ ch պ p ջ j ռ rr ս s ' +
  'վ v տ t ր r ց ts ու u ^ու u ւ v փ p ք k և ev ^և yev օ o ֆ f';
const ARMENIAN_ISO = '^ե e ^ո o ը e ժ z խ x ծ c ձ j ղ g ճ c շ s չ c ռ r ց c ւ w և ew ^և ew';

const USUAL = parseSystem(ENGLISH, 'ий$ y ый$ y', GREEK_LETTERS, GREEK_SPOKEN, GEORGIAN, ARMENIAN);

const SYSTEMS: Readonly<Record<Language, readonly System[]>> = {
  ru: [parseSystem(ENGLISH, PASSPORT, 'ъ ie'), parseSystem(ENGLISH, INITIAL_YE), USUAL, ISO_9],
  // Resolution 55 of 2010, and BGN/PCGN 1965.
  uk: [parseSystem(ENGLISH, PASSPORT, UKRAINIAN_LETTERS, '^є ye є ie ^ї yi ^й y ^ю yu ^я ya'), UKRAINIAN_BGN, ISO_9],
  // ICAO, the instruction of 2007 and BGN/PCGN 1979.
  be: [
    parseSystem(ENGLISH, PASSPORT, 'г h ё io'),
    parseSystem(ENGLISH, BALKAN, 'г h х ch й j *е je е ie *ё jo ё io *ю ju ю iu *я ja я ia'),
    parseSystem(ENGLISH, 'г h е ye ё yo ў w'),
    ISO_9,
  ],
  // The act of 2009, also BGN/PCGN 2013, which keeps the country's name.
  bg: [parseSystem(ENGLISH, 'щ sht ъ a ь y ия$ ia ^българ bulgar'), ISO_9],
  sr: [parseSystem(ENGLISH, BALKAN, 'ђ d'), parseSystem(ENGLISH, BALKAN)],
  mk: [parseSystem(ENGLISH, 'х h ц c џ dj'), parseSystem(ENGLISH, BALKAN, 'ѓ g ќ k')],
  // BGN/PCGN 1979.
  kk: [parseSystem(ENGLISH, 'ё yo ғ gh қ q ң ng'), ISO_9],
  ky: [parseSystem(ENGLISH, 'ё yo ж j ң ng'), ISO_9],
  // MNS 5217 of 2012.
  mn: [parseSystem(ENGLISH, 'е ye ё yo ж j й i ө u ъ i ь i'), ISO_9],
  el: [parseSystem(GREEK_LETTERS, GREEK_SPOKEN), parseSystem(GREEK_LETTERS, GREEK_WRITTEN)],
  ka: [parseSystem(GEORGIAN), parseSystem(GEORGIAN, GEORGIAN_ISO)],
  hy: [parseSystem(ARMENIAN), parseSystem(ARMENIAN, ARMENIAN_ISO)],
};

/** Romanised words of the latest names by language, because many names share words. */
const knownWords = Object.fromEntries(Object.keys(SYSTEMS).map((language) => [language, new Map()])) as Record<
  Language,
  Map<string, readonly string[]>
>;
const MAX_KNOWN = 16_384;
