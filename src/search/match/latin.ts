/**
 * A key that is the same for the ways in which a name of another script is written in Latin letters: `shchedryk` and `schedrik`,
 * `khlib` and `hlib`, `juzhnyj`, `uznyj` and `yuzhny`. Different words may have the same key.
 */
export function soundKey(latin: string): string {
  let key = known.get(latin);
  if (key === undefined) {
    if (known.size >= MAX_KNOWN) known.clear();
    key = latin
      .replace(SOUNDS, (found) => KEYS.get(found) ?? found)
      .replace(DOUBLED, '$1')
      .replace(GLIDE, '');
    known.set(latin, key);
  }
  return key;
}

/** A `j` is a glide, as in `jug`, or a consonant, as in `jambul`: `dzhambul` and `zhambul` by other tables. */
export function soundKeys(latin: string): readonly string[] {
  return latin.includes('j') ? [soundKey(latin), soundKey(latin.replaceAll('j', 'zh'))] : [soundKey(latin)];
}

export function soundAlike(a: string, b: string): boolean {
  const keys = soundKeys(b);
  return soundKeys(a).some((key) => keys.includes(key));
}

/** The words of the candidates of some queries, because each is compared with several others. */
const known = new Map<string, string>();
const MAX_KNOWN = 8_192;

const KEYS = readPairs(
  'shch s szcz s sch s sh s sz s dzh z dj z dz z tsch c tch c ch c cz c ts c tz c zh z kh h ph f th t ck k q k ks h x h y i j i w v g h ae a oe o ue u aa a ou u au av eu ev',
);
const SOUNDS = new RegExp([...KEYS.keys()].join('|'), 'g');
const DOUBLED = /(.)\1+/g;
/** `yu`, `iu`, `ju` and `u`: some tables leave the first sound out. */
const GLIDE = /i(?=[aeou])/g;

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
