/** Names that can be given to an API key. */
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
  // White space counts and stays.
  ' ',
  ' \t',
  `${' '.repeat(25)}production${' '.repeat(25)}`,
  // Emoji joined by a zero-width joiner, and a word with a mark for its direction.
  '👩\u200d💻',
  '\u200fשלום',
  // Nothing that is drawn: pages say so.
  '\u200b',
  '\u3164',
  // Control characters, and one that changes the reading order: pages show their numbers.
  'a\u0007b',
  'a\u202eb',
];

/** A form sends a line break as CR and LF. */
export const namesWithLines = ['two\nlines', '\n', 'a\u2028b'];

export const invalidNames = ['', 'x'.repeat(61), '😀'.repeat(61), ' '.repeat(61), 'a\0b', '\ud83d', 'a\udc00'];
