import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeUnexpected } from '../../src/formats/sniff.ts';

const describe = (start: string | readonly number[]) =>
  describeUnexpected(typeof start === 'string' ? Buffer.from(start) : Uint8Array.from(start));

test('an HTML page saved as data is recognized', () => {
  for (const page of [
    '<!DOCTYPE html>\n<html>',
    ' \n<HTML lang="en">',
    '\ufeff<!doctype HTML>',
    '<!-- x --><html>',
    '<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "">',
  ]) {
    assert.match(describe(page) ?? '', /^an HTML page/, page);
  }
});

test('other formats are named, with the advice to unpack archives', () => {
  assert.equal(describe('%PDF-1.7'), 'a PDF');
  assert.match(describe([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]) ?? '', /^an old \.xls workbook/);
  assert.equal(describe([0x89, 0x50, 0x4e, 0x47]), 'an image');
  assert.equal(describe('PAR1'), 'a Parquet file');
  assert.match(describe([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c]) ?? '', /^a 7z archive/);
  assert.match(describe('Rar!\x1a\x07') ?? '', /^a rar archive/);
  assert.equal(describe('BZh91AY&SY\x2f\x42'), 'a bzip2 archive (unpack it first)');
  assert.equal(
    describe([0x42, 0x5a, 0x68, 0x39, 0x17, 0x72, 0x45, 0x38, 0x50, 0x90]),
    'a bzip2 archive (unpack it first)',
  );
  assert.equal(describe('{"data":['), 'a JSON document');
  assert.equal(describe('[{"a":1}]'), 'a JSON document');
  assert.equal(describe('<?xml version="1.0"?><DATA>'), 'an XML document');
  assert.equal(describe('<DATA FORMAT="1"><R>'), 'an XML document');
  assert.equal(describe([0x61, 0, 0x62, 0, 1]), 'a binary file');
  assert.equal(describe([0x61, 0xfe, 0x62, 0x13, 1, 0x9d, 0xc0]), 'a binary file');
});

test('plain text is not reported', () => {
  for (const text of [
    '',
    'BZh LIMITED,1\n',
    'name;code\n',
    '"a","b"\n',
    '[1] x',
    '<< NAME >>;1',
    '\ufeffregcode;name\n',
  ]) {
    assert.equal(describe(text), null, text);
  }
  assert.equal(describeUnexpected(Buffer.from('\ufeffa;b\n', 'utf16le')), null);
});
