import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readDirectors, readFounders, readOwners } from '../../../src/registers/md/people.ts';
import { runs } from '../../harness/depth.ts';

test('MD lists of people keep every word, whatever the punctuation', () => {
  const piece = fc.constantFrom(
    ...['POPA', 'ION', 'ALFA', 'SRL', 'STATUL', 'TOTAL 7 MEMBRI', 'IDNO 1099600123450', 'str. Columna', '5', 'MD-2001'],
    ...[', ', '(40,00%)', '(%)', '(MD)', '[Lichidator]', ...',; \n"„”()[]%.'],
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
      const text = pieces.join(' ');
      const words = text.replaceAll(/\(40,00%\)|IDNO/g, '').match(/[\p{L}\d]+/gu) ?? [];
      for (const read of [readDirectors, readFounders, readOwners]) {
        // `IDNO` says that the key `number` follows.
        const kept = JSON.stringify(read(text)).toLowerCase();
        for (const word of words) assert.ok(kept.includes(word.toLowerCase()), `${read.name} lost ${word} of ${text}`);
      }
    }),
    { numRuns: runs(300, 20_000) },
  );
});

test('a long cell of brackets, commas or spaces takes no quadratic time', () => {
  const length = 100_000;
  const before = process.cpuUsage();
  for (const text of [
    '('.repeat(length),
    `(${','.repeat(length)})`,
    `(${' '.repeat(length)}`,
    'A B,'.repeat(length / 4),
  ]) {
    for (const read of [readDirectors, readFounders, readOwners]) assert.ok(Array.isArray(read(`${text} (40%)`)));
  }
  // Not the time, which depends on what else the machine does.
  const { user } = process.cpuUsage(before);
  assert.ok(user < 20_000_000, `${user} µs`);
});
