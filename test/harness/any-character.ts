import fc from 'fast-check';

/**
 * Any Unicode code point except lone surrogates, as `unit` of `fc.string`. It equals fast-check's own unit 'binary', which
 * takes a second of CPU time to set up in every process.
 */
export const anyCharacter = fc
  .oneof(
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 0xff }) },
    { weight: 2, arbitrary: fc.integer({ min: 0, max: 0xd7ff }) },
    { weight: 4, arbitrary: fc.integer({ min: 0xe000, max: 0x10ffff }) },
  )
  .map((code) => String.fromCodePoint(code));
