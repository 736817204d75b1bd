/** Names of API keys, for tests of the API and of the portal's form. */
export const validNames = [
  'a',
  '1',
  '?',
  'a "b" <c>',
  'x'.repeat(60),
  'é'.repeat(60),
  // 60 code points, 120 UTF-16 code units.
  '😀'.repeat(60),
  // 60 code points, 30 characters as a reader counts them.
  'e\u0301'.repeat(30),
  // 60 code points with the white space, which counts.
  ` \t${'x'.repeat(56)}\n\ufeff`,
  `${' '.repeat(25)}production${' '.repeat(25)}`,
  // Emoji joined by a zero-width joiner, and a word with a mark for its direction.
  '👩\u200d💻',
  '\u200fשלום',
];

export const invalidNames = [
  '',
  ' ',
  '  \t\n ',
  '\u00a0\u2003\u3000',
  // Zero-width space, zero-width joiner, word joiner, soft hyphen, invisible times, variation selector, tag.
  '\u200b',
  ' \u200b ',
  '\u200d\u2060\u00ad\u2062\ufe0f\u{e0041}',
  // Hangul fillers and the Braille blank, which Unicode calls letters and a symbol.
  '\u3164\u115f\uffa0',
  '\u2800',
  // Direction marks only.
  '\u200e\u202e',
  // A combining accent without a letter.
  '\u0301',
  'x'.repeat(61),
  '😀'.repeat(61),
  'e\u0301'.repeat(31),
  `a${' '.repeat(60)}a`,
  `${'x'.repeat(60)} `,
  `${' '.repeat(26)}production${' '.repeat(25)}`,
  'a\0b',
  'a\u0007b',
  'a\nb',
  'a\tb',
  'a\u0085b',
  'a\u2028b',
  'a\u2029b',
  'a\ud800',
  '\udc00a',
];
