/**
 * Folded text in Latin letters: Cyrillic as BGN/PCGN writes it, which is how published names of Russian and Ukrainian companies are
 * written (`lukoil`), and Greek as ELOT 743. Folding has removed the marks already, so й is и here, and ї is і. Text without such
 * letters is returned unchanged, and text that contains Latin and Cyrillic letters is converted letter by letter.
 */
export function toLatin(folded: string): string {
  if (!CONVERTED.test(folded)) return folded;
  const text = separateScripts(folded);
  const isUkrainian = UKRAINIAN.test(text);
  return text
    .replace(GREEK_PAIRS, (pair) => GREEK.get(pair) ?? pair)
    .replace(LETTERS, (letter) => {
      const ukrainian = isUkrainian ? UKRAINIAN_LETTERS.get(letter) : undefined;
      return ukrainian ?? CYRILLIC.get(letter) ?? GREEK.get(letter) ?? letter;
    });
}

/** Letters that look alike are often typed in the wrong script (`CВIТАНОК`): all letters of a word are of the script that most of them are. */
export function separateScripts(folded: string): string {
  return folded.replace(MIXED, (word) => {
    const isCyrillic = (word.match(LETTERS) ?? []).length * 2 >= word.length;
    const shapes = isCyrillic ? CYRILLIC_SHAPES : LATIN_SHAPES;
    return Array.from(word, (letter) => shapes.get(letter) ?? letter).join('');
  });
}

const MIXED = /\p{L}*(?:[a-z][\u0400-\u052f]|[\u0400-\u052f][a-z])\p{L}*/gu;
const CONVERTED = /[\u0370-\u03ff\u0400-\u052f]/;
const LETTERS = /[\u0370-\u03ff\u0400-\u052f]/g;
/** Letters that only Ukrainian and Belarusian have. */
const UKRAINIAN = /[іґє]/;
const UKRAINIAN_LETTERS = readPairs('г h и y');

const CYRILLIC = readPairs(
  'а a б b в v г g д d е e ж zh з z и i к k л l м m н n о o п p р r с s т t у u ф f х kh ц ts ч ch ш sh щ shch ъ - ы y ь - э e ю yu я ya ' +
    'є ye і i ґ g ђ dj ј j љ lj њ nj ћ c џ dz ѕ z ә a ғ g қ k ң n ө o ұ u ү u һ h',
);
const GREEK = readPairs(
  'α a β v γ g δ d ε e ζ z η i θ th ι i κ k λ l μ m ν n ξ x ο o π p ρ r σ s ς s τ t υ y φ f χ ch ψ ps ω o ου ou αυ av ευ ev γγ ng',
);
const GREEK_PAIRS = /ου|αυ|ευ|γγ/g;

const SHAPES = 'a а b в c с e е h н i і k к m м o о p р t т x х y у';
const CYRILLIC_SHAPES = readPairs(SHAPES);
const LATIN_SHAPES = readPairs(SHAPES.split(' ').reverse().join(' '));

/**
 * A key that is the same for the ways in which a name of another script is written in Latin letters: `shchedryk` and `schedrik`,
 * `khlib` and `hlib`, `juzhnyj` and `yuzhny`. Different words may have the same key.
 */
export function soundKey(latin: string): string {
  let key = known.get(latin);
  if (key === undefined) {
    if (known.size >= MAX_KNOWN) known.clear();
    key = latin.replace(SOUNDS, (found) => KEYS.get(found) ?? found).replace(DOUBLED, '$1');
    known.set(latin, key);
  }
  return key;
}

/** The words of the candidates of some queries, because each is compared with several others. */
const known = new Map<string, string>();
const MAX_KNOWN = 8_192;

const KEYS = readPairs(
  'shch s szcz s sch s sh s sz s tsch c tch c ch c cz c ts c tz c zh z kh h ph f th t ck k x ks y i j i w v g h ae a oe o ue u aa a ou u',
);
const SOUNDS = new RegExp([...KEYS.keys()].join('|'), 'g');
const DOUBLED = /(.)\1+/g;

/** A word in Latin letters as it may be written in the script of the country, folded; nothing if that is the Latin one. */
export function inScriptOf(country: string | undefined, latin: string): string[] {
  if (!LATIN.test(latin)) return [];
  if (country === undefined) return [TO_UKRAINIAN, TO_RUSSIAN].map((table) => convert(latin, table));
  // Both г and х are written as h.
  if (country === 'UA') return [latin, latin.replace(SINGLE_H, 'kh')].map((text) => convert(text, TO_UKRAINIAN));
  if (SERBIAN_COUNTRIES.has(country)) return [convert(latin, TO_SERBIAN)];
  if (CYRILLIC_COUNTRIES.has(country)) return [convert(latin, TO_RUSSIAN)];
  return GREEK_COUNTRIES.has(country) ? [convert(latin, TO_GREEK)] : [];
}

const SINGLE_H = /(?<![cksz])h/g;
const LATIN = /^[a-z]{2,}$/;
const SERBIAN_COUNTRIES = new Set(['RS', 'ME', 'BA', 'MK']);
const CYRILLIC_COUNTRIES = new Set(['RU', 'BY', 'BG', 'KZ', 'KG', 'TJ', 'UZ', 'MN']);
const GREEK_COUNTRIES = new Set(['GR', 'CY']);

interface Table {
  readonly letters: ReadonlyMap<string, string>;
  readonly pattern: RegExp;
}

function convert(latin: string, { letters, pattern }: Table): string {
  return latin.replace(pattern, (found) => letters.get(found) ?? found);
}

/** Longer ones first. Folding has made й an и, and ї an і. */
const TO_CYRILLIC =
  'shch щ sch щ zh ж kh х ts ц ch ч sh ш yu ю iu ю ju ю ya я ia я ja я yi ии iy ии yj ии ij ии ' +
  'a а b б c ц d д e е f ф g г k к l л m м n н o о p п q к r р s с t т u у v в w в x кс z з';
const TO_UKRAINIAN = readScript(`ye є ie є je є ${TO_CYRILLIC} h г i і j и y и`);
const TO_RUSSIAN = readScript(`ye е ie е je е yo е ${TO_CYRILLIC} h х i и j и y ы`);
const TO_SERBIAN = readScript(
  'lj љ nj њ dj ђ dz џ a а b б c ц d д e е f ф g г h х i и j ј k к l л m м n н o о p п r р s с t т u у v в z з',
);
const TO_GREEK = readScript(
  'th θ ph φ ch χ kh χ ps ψ ks ξ mp μπ ou ου av αυ ev ευ ng γγ ' +
    'a α b μπ c κ d δ e ε f φ g γ h χ i ι j ι k κ l λ m μ n ν o ο p π q κ r ρ s σ t τ u ου v β w β x ξ y υ z ζ',
);

function readScript(text: string): Table {
  const letters = readPairs(text);
  return { letters, pattern: new RegExp([...letters.keys()].join('|'), 'g') };
}

/** Letters and what replaces them; `-` is nothing. */
function readPairs(text: string): Map<string, string> {
  return new Map(text.matchAll(/(\S+) (\S+)/g).map(([, from = '', to = '']) => [from, to.replace('-', '')]));
}
