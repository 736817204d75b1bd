import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { describeSummary, storedNames, summaryFields, summaryNames } from '../../src/base/entity-summary.ts';
import type { StoredPart } from '../../src/registry/records/imports/store.ts';
import {
  createProvenanceWriter,
  type Publication,
  renderEntity,
  type SourceFile,
} from '../../src/registry/records/records.ts';
import {
  createSourceDataWriter,
  describeLayout,
  describeTables,
  padCells,
} from '../../src/registry/records/source-data.ts';
import { anyCharacter } from '../harness/any-character.ts';

/**
 * Records are rendered by copying JSON texts. The result must be exactly what `JSON.stringify` writes for the record as an
 * object.
 */

const character = fc.oneof(
  {
    arbitrary: fc.constantFrom('"', '\\', ',', '[', ']', '{', '}', ':', '\u0000', '\n', '\u001f', '\u007f'),
    weight: 3,
  },
  { arbitrary: fc.constantFrom('\u2028', '\ud800', '\udc00', '😀', 'é', 'я'), weight: 2 },
  { arbitrary: anyCharacter, weight: 1 },
  { arbitrary: fc.string({ minLength: 1, maxLength: 1 }), weight: 5 },
);
const text = fc.string({ unit: character, maxLength: 12 });
/**
 * JavaScript moves numbers to the front of an object's keys. Once Node 26.10 has parsed a key that ends in a backslash, it reads a key such as `"b\n"` as
 * `"b\\"`.
 */
const key = text.filter((name) => !/^\d+$|\\$/.test(name) && name !== '__proto__');
const count = fc.nat({ max: 2_000_000 });
const flag = fc.constantFrom(0, 1);
const time = fc.integer({ min: 0, max: 4_000_000_000_000 });

const summary = fc.tuple(
  ...storedNames.map((name) => {
    const { type, nullable } = summaryFields[name];
    const value: fc.Arbitrary<string | number> = type === 'timestamp' ? time : text;
    return nullable ? fc.option(value) : value;
  }),
);

/** The same source as stored and as shown. */
interface Source {
  readonly columns?: string;
  readonly stored: string;
  readonly shown: unknown;
}

const names = fc.uniqueArray(key, { minLength: 1, maxLength: 8 });
const cells = fc.array(fc.oneof(fc.constant(''), text), { maxLength: 8 });
const show = (columns: readonly string[], row: readonly string[]) =>
  Object.fromEntries(columns.map((column, index) => [column, row[index] ?? '']));

const tree = fc.jsonValue().map((value): Source => ({ stored: JSON.stringify(value), shown: value }));
const row = fc.tuple(names, cells).map(([columns, given]): Source => {
  return {
    columns: describeLayout(columns).columns,
    stored: JSON.stringify(padCells(given, columns.length)),
    shown: show(columns, given),
  };
});
const tables = fc
  .tuple(
    fc.uniqueArray(fc.tuple(key, names, fc.array(cells, { maxLength: 3 })), {
      minLength: 1,
      maxLength: 4,
      selector: ([name]) => name,
    }),
    cells,
    fc.boolean(),
  )
  // The columns of an unnamed main table are at the top level, where they must not have the name of another table.
  .filter(([given, , isUnnamed]) => !isUnnamed || given.every(([name]) => name !== '' && !given[0]?.[1].includes(name)))
  .map(([given, main, isUnnamed]): Source => {
    const all = given.map(([name, columns, rows], index) => ({
      name: isUnnamed && index === 0 ? '' : name,
      columns,
      rows,
    }));
    const [first = assert.fail(), ...others] = all;
    const list = others.map(
      ({ columns, rows }) => `[${rows.map((each) => JSON.stringify(padCells(each, columns.length))).join(',')}]`,
    );
    const mainRow = show(first.columns, main);
    return {
      columns: describeTables(all.map(({ name, columns }) => [name, columns])).columns,
      stored: `[${[JSON.stringify(padCells(main, first.columns.length)), ...list].join(',')}]`,
      shown: {
        ...(first.name === '' ? mainRow : { [first.name]: mainRow }),
        ...Object.fromEntries(others.map(({ name, columns, rows }) => [name, rows.map((each) => show(columns, each))])),
      },
    };
  });

const part: fc.Arbitrary<StoredPart> = fc.record({
  fileId: fc.constantFrom(1, 2),
  file: text,
  hash: text,
  url: fc.option(text),
  synthetic: flag,
  entry: fc.option(text),
  table: text,
  content: fc.constantFrom('records', 'rows', 'codes'),
});
const sourceFile: fc.Arbitrary<SourceFile> = fc.record({
  id: fc.constantFrom(1, 2),
  generation: count,
  register: text,
  name: text,
  hash: text,
  importedAt: time,
  synthetic: flag,
  asOf: fc.option(text),
  url: fc.option(text),
  modes: fc.constant('{}'),
  parts: fc.array(part, { maxLength: 5 }),
});
const publication: fc.Arbitrary<Publication> = fc.record({ id: text, publisher: text, sourceUrl: text, licence: text });
const origin = fc.record({
  part: fc.nat({ max: 6 }),
  rows: fc.array(fc.record({ first: count, last: count }), { minLength: 1, maxLength: 3 }),
});
const origins = fc.option(fc.array(origin, { minLength: 1, maxLength: 4 }));

type Origins = readonly { readonly part: number; readonly rows: readonly { first: number; last: number }[] }[];

function describeProvenance(register: Publication, file: SourceFile, place: number, given: Origins | null) {
  const main = file.parts.findIndex(({ fileId, content }) => fileId === file.id && content === 'records');
  const from = given ?? [{ part: main, rows: [{ first: place, last: place }] }];
  const files = [
    ...from.flatMap(({ part: number, rows }) =>
      file.parts.slice(number, number + 1).map((each) => ({ ...each, rows })),
    ),
    ...file.parts.filter(({ content }) => content === 'codes').map((each) => ({ ...each, rows: [] })),
  ];
  const synthetic = file.synthetic === 1 || files.some((each) => each.synthetic === 1);
  return {
    register: register.id,
    publisher: synthetic ? 'Firmament (synthetic sample, invented companies)' : register.publisher,
    file: file.name,
    hash: file.hash,
    row: place,
    asOf: file.asOf,
    importedAt: new Date(file.importedAt).toISOString(),
    sourceUrl: file.url ?? register.sourceUrl,
    licence: synthetic ? 'Synthetic sample in the format of the register; not its data' : register.licence,
    synthetic,
    files:
      files.length === 0
        ? null
        : files.map(({ file, hash, url, entry, table, rows }) => ({ file, hash, url, entry, table, rows })),
  };
}

const record = fc.record({
  summary,
  registry: fc.jsonValue(),
  registrations: fc.jsonValue(),
  source: fc.oneof(tree, row, tables),
  related: fc.array(summary, { maxLength: 2 }),
  partyCounts: fc.option(fc.record({ owners: fc.nat(), others: fc.nat() })),
  place: count,
  origins,
  file: fc.option(sourceFile),
  register: fc.option(publication),
});

test('a record is rendered exactly as JSON.stringify writes it', () => {
  const render = (given: typeof record extends fc.Arbitrary<infer R> ? R : never) => {
    const { source, place, register, file } = given;
    const entity = {
      id: '',
      register: '',
      summary: [...given.summary, 'the next column'],
      legalForm: null,
      legalFormCode: null,
      registry: JSON.stringify(given.registry),
      registrations: JSON.stringify(given.registrations),
      sourceData: source.stored,
      layout: null,
      isLinked: 0,
      fileId: 1,
      place,
      origins: given.origins && writeOrigins(given.origins),
      partyCounts: given.partyCounts && JSON.stringify(given.partyCounts),
    };
    const related = given.related.map((values) => ({
      ...Object.fromEntries(storedNames.map((name, index) => [name, values[index]])),
      registry: '{}',
    })) as never[];
    const { columns } = source;
    return renderEntity({
      entity,
      related,
      layout: columns === undefined ? undefined : { columns, write: createSourceDataWriter(columns) },
      file: file
        ? { ...file, writeProvenance: register ? createProvenanceWriter(register, file) : undefined }
        : undefined,
    });
  };
  fc.assert(
    fc.property(record, (given) => {
      const { register, file, place } = given;
      const expected = {
        ...describeSummary(given.summary, NOTHING_DERIVED),
        registry: given.registry,
        sourceData: given.source.shown,
        registrations: given.registrations,
        related: given.related.map((one) => ({ ...describeSummary(one, NOTHING_DERIVED), relation: 'same_company' })),
        partyCounts: given.partyCounts,
        provenance: register && file ? describeProvenance(register, file, place, given.origins) : null,
      };
      assert.equal(render(given), JSON.stringify(expected));
    }),
    { numRuns: 500 },
  );
});

const NOTHING_DERIVED = { isic: null, elf: null, legalFormClass: null };
const DERIVED: Readonly<Record<string, string>> = { isic: '62', elf: 'H0PO', legalFormClass: 'limited_company' };

const writeOrigins = (given: Origins) =>
  given
    .map(
      ({ part, rows }) =>
        `${part}:${rows.map(({ first, last }) => (first === last ? first : `${first}-${last}`)).join(',')}`,
    )
    .join(';');

test('a summary shows its fields in their order, and times in ISO 8601', () => {
  fc.assert(
    fc.property(summary, (values) => {
      const shown = summaryNames.map((name, index) => {
        const value = DERIVED[name] ?? values[index] ?? null;
        return [name, summaryFields[name].type === 'timestamp' ? new Date(Number(value)).toISOString() : value];
      });
      assert.deepEqual(
        Object.entries(describeSummary(values, { isic: '62', elf: 'H0PO', legalFormClass: 'limited_company' })),
        shown,
      );
    }),
  );
});

test('a stored row that does not match its table is not shown under wrong columns', () => {
  const write = createSourceDataWriter(describeLayout(['a', 'b']).columns);
  assert.equal(write('["1","2"]'), '{"a":"1","b":"2"}');
  for (const stored of ['["1"]', '["1","2","3"]', '[]', '', '["1","2"'])
    assert.throws(() => write(stored), /cells/, stored);
});

test('empty cells are shown, however many follow each other', () => {
  const columns = Array.from({ length: 100 }, (_, index) => `column ${index}`);
  const write = createSourceDataWriter(describeLayout(columns).columns);
  const filled = [[], [0], [99], [0, 99], [31, 32, 33], [1, 34, 68], [40, 73], columns.keys().toArray()];
  for (const places of filled) {
    const row = columns.map((_, index) => (places.includes(index) ? `value ${index}` : ''));
    assert.equal(write(JSON.stringify(row)), JSON.stringify(show(columns, row)));
  }
});
