import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeCsvHeader, writeCsvRow } from '../../src/core/csv.ts';

test('CSV quotes what needs it and runs no formula of a register', () => {
  const written: readonly [cell: string | null, csv: string][] = [
    ['ALPHA LTD', 'ALPHA LTD'],
    [null, ''],
    ['Müller, "Co"', '"Müller, ""Co"""'],
    ['LINE\nTWO', '"LINE\nTWO"'],
    ['=cmd|"/c calc"!A1', '"\'=cmd|""/c calc""!A1"'],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    [' =1', "' =1"],
    ['\t1', "'\t1"],
    ['\uff1d1', "'\uff1d1"],
    ['00123', '00123'],
    ['A-1', 'A-1'],
  ];
  for (const [cell, csv] of written) {
    assert.equal(writeCsvHeader(['a', 'b']) + writeCsvRow([cell, 'x']), `\ufeffa,b\r\n${csv},x\r\n`, String(cell));
  }
});
