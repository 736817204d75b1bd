import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createProvenanceReader } from '../../src/exports/provenance.ts';
import { createProvenanceWriter, type SourceFile } from '../../src/records/provenance.ts';

/** A file whose texts look like the keys of a provenance. */
function describeFile(id: number, synthetic: number): SourceFile {
  const part = { file: `${id}.csv`, hash: '1', url: null, entry: '"rows":[{"first":7,"last":7', table: 'x', synthetic };
  const source = {
    id,
    generation: 1,
    register: 'gb',
    name: '"row":7,"files":',
    hash: '7',
    importedAt: 7,
    asOf: null,
    url: null,
    synthetic,
    modes: null,
    parts: [
      { ...part, generation: 1, part: 0, fileId: id, content: 'records' },
      { ...part, generation: 1, part: 1, fileId: id, content: 'codes' },
    ],
  };
  return source as SourceFile;
}

test('every provenance is read as JSON says, whatever was read before', () => {
  const register = { id: 'gb', publisher: 'Office', sourceUrl: 'https://a.example', licence: 'CC0' };
  const writers = [describeFile(1, 0), describeFile(2, 1), { ...describeFile(3, 0), parts: [] }].map((file) =>
    createProvenanceWriter(register, file),
  );
  const origins = [null, null, '0:7', '0:6-7', '0:7-8', '0:8', '0:7,9', '1:7;0:7', null];
  const rows = [7, 1, 10, 123_456_789, 7, 7, 0];
  const texts = ['null', ...writers.flatMap((write) => rows.flatMap((row) => origins.map((one) => write(row, one))))];
  const read = createProvenanceReader();
  // Each text after each kind of other text.
  for (const before of texts.filter((_, index) => index % 7 === 0)) {
    for (const text of texts) {
      read(before);
      assert.deepEqual(read(text), JSON.parse(text));
      assert.deepEqual(read(text), JSON.parse(text));
    }
  }
});
