import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { listFounders } from '../../../src/registers/md/parties.ts';
import { readDirectors, readFounders, readOwners } from '../../../src/registers/md/people.ts';

describe('MD directors', () => {
  it('splits names and roles', () => {
    assert.deepEqual(readDirectors('POPA ION [Administrator], RUSU ANA [Direcţie de conducere]'), [
      { name: 'POPA ION', role: 'Administrator' },
      { name: 'RUSU ANA', role: 'Direcţie de conducere' },
    ]);
  });

  it('keeps commas and brackets inside a name', () => {
    assert.deepEqual(readDirectors('"AUDIT, GRUP" S.R.L. [Lichidator]'), [
      { name: '"AUDIT, GRUP" S.R.L.', role: 'Lichidator' },
    ]);
    assert.deepEqual(readDirectors('POPA [ION] ANA [Comitet]'), [{ name: 'POPA [ION] ANA', role: 'Comitet' }]);
  });

  it('keeps all text that does not follow the pattern', () => {
    assert.deepEqual(readDirectors('POPA ION [Administrator], RUSU ANA'), [
      { name: 'POPA ION', role: 'Administrator' },
      { name: 'RUSU ANA' },
    ]);
    assert.deepEqual(readDirectors('POPA ION [], RUSU ANA [Admin'), [
      { name: 'POPA ION' },
      { name: 'RUSU ANA [Admin' },
    ]);
    assert.deepEqual(readDirectors('[Lichidator]'), [{ name: '[Lichidator]', role: 'Lichidator' }]);
    assert.deepEqual(readDirectors(' , '), []);
  });
});

describe('MD founders', () => {
  it('reads shares with a decimal comma', () => {
    assert.deepEqual(readFounders('POPA ION (40,00%), "ALFA" S.R.L. (29,55%), RUSU ANA ( 30.45 % )'), [
      { name: 'POPA ION', share: 40 },
      { name: '"ALFA" S.R.L.', share: 29.55 },
      { name: 'RUSU ANA', share: 30.45 },
    ]);
    assert.deepEqual(readFounders('POPA ION (%)'), [{ name: 'POPA ION' }]);
  });

  it('splits names without shares at commas, but not inside quotes, brackets or before a tail', () => {
    const split = (text: string) => readFounders(text).map(({ name }) => name);
    assert.deepEqual(split(' POPA ION,RUSU  ANA, '), ['POPA ION', 'RUSU ANA']);
    assert.deepEqual(split('FIRMA „ALFA, BETA” SRL, POPA ION'), ['FIRMA „ALFA, BETA” SRL', 'POPA ION']);
    assert.deepEqual(split('AGENŢIA (CHIŞINĂU, BĂLŢI), POPA ION'), ['AGENŢIA (CHIŞINĂU, BĂLŢI)', 'POPA ION']);
    assert.deepEqual(split('ALFA, S.R.L., POPA ION'), ['ALFA, S.R.L.', 'POPA ION']);
    assert.deepEqual(split('ALFA SRL, MD-2028, str. Columna, 5, POPA ION'), [
      'ALFA SRL, MD-2028, str. Columna, 5',
      'POPA ION',
    ]);
    assert.deepEqual(split('FIRMA "ALFA, POPA ION'), ['FIRMA "ALFA', 'POPA ION']);
  });

  it('names everyone who holds a joint share and does not divide the share', () => {
    assert.deepEqual(readFounders('BURLACU IGOR, BURLACU ANA (25,00%), BURLACU LIDIA (75,00%)'), [
      { name: 'BURLACU IGOR', jointShare: 25, jointWith: ['BURLACU ANA'] },
      { name: 'BURLACU ANA', jointShare: 25, jointWith: ['BURLACU IGOR'] },
      { name: 'BURLACU LIDIA', share: 75 },
    ]);
  });

  it('does not split a person with several given names or a firm with a comma', () => {
    assert.deepEqual(readFounders('DUPONT ERIC, MARCEL, LOUIS (100,00%)'), [
      { name: 'DUPONT ERIC, MARCEL, LOUIS', share: 100 },
    ]);
    assert.deepEqual(readFounders('ALFA GRUP, BETA S.R.L. (10%)'), [{ name: 'ALFA GRUP, BETA S.R.L.', share: 10 }]);
  });

  it('takes a text for an organisation only if it names nobody else', () => {
    const kindsOf = (text: string) => listFounders(text).map(({ kind }) => kind);
    for (const text of [
      'ALFA GROUP, BETA S.R.L. (10%)',
      'ALFA, S.R.L.',
      'STARLINE, IDNO 1099600123450',
      'STATUL (50,00%)',
    ])
      assert.deepEqual(kindsOf(text), ['organisation'], text);
    for (const text of [
      'POPA ION, "ALFA" S.R.L. (60,00%)',
      'POPA ION, "ALFA" S.R.L., IDNO 1099600123450 (60,00%)',
      'STATUL, POPA ION (50,00%)',
    ])
      assert.deepEqual(kindsOf(text), [undefined], text);
  });

  it('moves an embedded IDNO and the text after it out of the name', () => {
    const text =
      'ORGANIZAȚIA ”LUNCA-CAPITAL” SRL, IDNO 1099600123450\nMD-2028, STRADA LUNCA 51/6, MUN. CHIȘINĂU. (100,00%)';
    assert.deepEqual(readFounders(text), [
      {
        name: 'ORGANIZAȚIA ”LUNCA-CAPITAL” SRL',
        idno: '1099600123450',
        details: 'MD-2028, STRADA LUNCA 51/6, MUN. CHIȘINĂU.',
        share: 100,
      },
    ]);
    assert.deepEqual(readFounders('ALFA SRL (IDNO: 1099600123450), POPA ION'), [
      { name: 'ALFA SRL', idno: '1099600123450' },
      { name: 'POPA ION' },
    ]);
  });

  it('marks the state and the placeholders for groups', () => {
    assert.deepEqual(readFounders('STATUL (100,00%)'), [{ name: 'STATUL', kind: 'state', share: 100 }]);
    assert.deepEqual(readFounders('TOTAL 71 MEMBRI'), [{ name: 'TOTAL 71 MEMBRI', kind: 'group', members: 71 }]);
    assert.deepEqual(readFounders('MEMBRII ASOCIAŢIEI -PERSOANE FIZICE, POPA ION'), [
      { name: 'MEMBRII ASOCIAŢIEI -PERSOANE FIZICE', kind: 'group' },
      { name: 'POPA ION' },
    ]);
    assert.deepEqual(readFounders('COLECTIVUL DE MUNCĂ (51,00%)'), [
      { name: 'COLECTIVUL DE MUNCĂ', kind: 'group', share: 51 },
    ]);
  });

  it('keeps text that it cannot parse', () => {
    assert.deepEqual(readFounders('POPA ION 100,00%'), [{ name: 'POPA ION 100,00%' }]);
    assert.deepEqual(readFounders('(100,00%)'), [{ name: '(100,00%)', share: 100 }]);
    assert.deepEqual(readFounders(' '), []);
  });
});

it('MD beneficial owners have the country in brackets', () => {
  assert.deepEqual(readOwners('POPA ION (MD), RUSU (GROSU) ANA (RO), LUPU OLEG (nu se cunoaşte)'), [
    { name: 'POPA ION', country: 'MD' },
    { name: 'RUSU (GROSU) ANA', country: 'RO' },
    { name: 'LUPU OLEG (nu se cunoaşte)' },
  ]);
});

it('MD lists of people keep every word, whatever the punctuation', () => {
  const piece = fc.constantFrom(
    ...['POPA', 'ION', 'ALFA', 'SRL', 'STATUL', 'TOTAL 7 MEMBRI', 'IDNO 1099600123450', 'str. Columna', '5', 'MD-2001'],
    ...[
      ', ',
      ',',
      ' ',
      '\n',
      ';',
      '"',
      '„',
      '”',
      '(',
      ')',
      '[',
      ']',
      '(40,00%)',
      '(%)',
      '(MD)',
      '[Lichidator]',
      '%',
      '.',
    ],
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
      const text = pieces.join(' ');
      const words = text.replaceAll('(40,00%)', '').match(/[\p{L}\d]+/gu) ?? [];
      for (const read of [readDirectors, readFounders, readOwners]) {
        // `IDNO` itself becomes the key `idno`.
        const kept = JSON.stringify(read(text)).toLowerCase();
        for (const word of words) assert.ok(kept.includes(word.toLowerCase()), `${read.name} lost ${word} of ${text}`);
      }
    }),
    { numRuns: 2_000 },
  );
});

it('a long cell of brackets, commas or spaces takes no quadratic time', () => {
  const length = 300_000;
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
