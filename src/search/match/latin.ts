/**
 * A key that is equal for all ways to write a name of another script in Latin letters: `shchedryk` and `schedrik`, `khlib` and `hlib`,
 * `juzhnyj`, `uznyj` and `yuzhny`. Different words may have equal keys.
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

/** The keys of a word. A `j` is a glide, as in `jug`, or a consonant, as in `jambul`, which other tables write `dzhambul` or `zhambul`. */
export function soundKeys(latin: string): readonly string[] {
  return latin.includes('j') ? [soundKey(latin), soundKey(latin.replaceAll('j', 'zh'))] : [soundKey(latin)];
}

export function soundAlike(a: string, b: string): boolean {
  const keys = soundKeys(b);
  return soundKeys(a).some((key) => keys.includes(key));
}

/** Caches the keys of words of recent candidates, because each word is compared with several others. */
const known = new Map<string, string>();
const MAX_KNOWN = 8_192;

const KEYS = readPairs(
  'shch s szcz s sch s sh s sz s dzh z dj z dz z tsch c tch c ch c cz c ts c tz c zh z kh h ph f th t ck k q k ks h x h y i j i w v g h ae a oe o ue u aa a ou u au av eu ev',
);
const SOUNDS = new RegExp([...KEYS.keys()].join('|'), 'g');
const DOUBLED = /(.)\1+/g;
/** The first sound of `yu`, `iu` and `ju`, which some tables leave out. */
const GLIDE = /i(?=[aeou])/g;

/** Parses pairs of letters and their replacement; `-` stands for an empty replacement. */
function readPairs(text: string): Map<string, string> {
  return new Map(text.matchAll(/(\S+) (\S+)/g).map(([, from = '', to = '']) => [from, to.replace('-', '')]));
}
