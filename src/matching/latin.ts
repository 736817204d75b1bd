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
    .replace(GREEK_PAIRS, (pair) => GREEK[pair] ?? pair)
    .replace(LETTERS, (letter) => {
      return (isUkrainian ? UKRAINIAN_LETTERS[letter] : undefined) ?? CYRILLIC[letter] ?? GREEK[letter] ?? letter;
    });
}

/** Letters that look alike are often typed in the wrong script (`CВIТАНОК`): all letters of a word are of the script that most of them are. */
export function separateScripts(folded: string): string {
  return folded.replace(MIXED, (word) => {
    const isCyrillic = (word.match(LETTERS) ?? []).length * 2 >= word.length;
    const shapes = isCyrillic ? CYRILLIC_SHAPES : LATIN_SHAPES;
    return Array.from(word, (letter) => shapes[letter] ?? letter).join('');
  });
}

const MIXED = /\p{L}*(?:[a-z][\u0400-\u052f]|[\u0400-\u052f][a-z])\p{L}*/gu;
const CONVERTED = /[\u0370-\u03ff\u0400-\u052f]/;
const LETTERS = /[\u0370-\u03ff\u0400-\u052f]/g;
/** Letters that only Ukrainian and Belarusian have. */
const UKRAINIAN = /[іґє]/;
const UKRAINIAN_LETTERS: Readonly<Record<string, string>> = { г: 'h', и: 'y' };

const CYRILLIC = readTable(
  'а a б b в v г g д d е e ж zh з z и i к k л l м m н n о o п p р r с s т t у u ф f х kh ц ts ч ch ш sh щ shch ъ - ы y ь - э e ю yu я ya ' +
    'є ye і i ґ g ђ dj ј j љ lj њ nj ћ c џ dz ѕ z ә a ғ g қ k ң n ө o ұ u ү u һ h',
);
const GREEK = readTable(
  'α a β v γ g δ d ε e ζ z η i θ th ι i κ k λ l μ m ν n ξ x ο o π p ρ r σ s ς s τ t υ y φ f χ ch ψ ps ω o ου ou αυ av ευ ev γγ ng',
);
const GREEK_PAIRS = /ου|αυ|ευ|γγ/g;

const SHAPES = 'a а b в c с e е h н i і k к m м o о p р t т x х y у';
const CYRILLIC_SHAPES = readTable(SHAPES);
const LATIN_SHAPES = readTable(SHAPES.split(' ').reverse().join(' '));

function readTable(text: string): Readonly<Record<string, string>> {
  const cells = text.split(' ');
  const table: Record<string, string> = {};
  for (let at = 0; at < cells.length; at += 2)
    table[cells[at] ?? ''] = cells[at + 1] === '-' ? '' : (cells[at + 1] ?? '');
  return table;
}
