import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { parseInvocation, renderHelp, UsageError } from '../src/base/terminal/command.ts';
import { createDisplay, describeRows } from '../src/base/terminal/progress.ts';
import { findTextWidth, renderTable, wrapText } from '../src/base/terminal/table.ts';

const lengths = (text: string) => text.split('\n').map((line) => line.length);

describe('a table', () => {
  const header = ['ID', 'NAME', 'ENTITIES', 'SOURCE'];
  const rows = [
    ['lv', 'Register of Enterprises of the Republic of Latvia', 1_234_567, 'https://example.com/a/long/address'],
    ['gb', 'Companies House', 5, 'https://example.com'],
  ];
  const fit = { omit: ['SOURCE', 'NAME'] };

  test('leaves columns out until it fits', () => {
    assert.match(renderTable(header, rows), /Republic of Latvia +1,234,567 {2}https:\/\/example.com\/a\/long\/address/);
    assert.match(renderTable(header, rows, { ...fit, width: 90 }), /^lv {2}Register of .* Latvia +1,234,567$/m);
    assert.match(renderTable(header, rows, { ...fit, width: 40 }), /^gb +5$/m);
    const long = [['lv', 'x'.repeat(100), 1, 'https://example.com'] as const];
    assert.equal(
      Math.max(...lengths(renderTable(header, long, fit))),
      114,
      'a file has lines of at most 120 characters',
    );
  });

  test('fits any width that its other columns leave', () => {
    fc.assert(
      fc.property(fc.integer({ min: 14, max: 200 }), fc.array(fc.string({ maxLength: 60 })), (width, names) => {
        const cells = names.map((name, at) => ['lv', name.replaceAll('\n', ' '), at, `https://${name.length}.example`]);
        assert.ok(lengths(renderTable(header, cells, { ...fit, width })).every((length) => length <= width));
      }),
    );
  });
});

describe('the width of the terminal', () => {
  const terminal = (columns: number) => ({ isTTY: true, columns }) as NodeJS.WriteStream;

  test('text is at most 100 characters wide', () => {
    const pipe = { isTTY: false } as unknown as NodeJS.WriteStream;
    assert.deepEqual([pipe, terminal(0), terminal(200), terminal(60)].map(findTextWidth), [100, 100, 100, 60]);
  });

  test('text is broken between words and loses none', () => {
    fc.assert(
      fc.property(fc.lorem({ maxCount: 40 }), fc.integer({ min: 20, max: 100 }), (text, width) => {
        const lines = wrapText(text, width);
        assert.ok(lines.every((line) => line.length <= width));
        assert.equal(lines.join(' '), text.split(/\s+/).join(' '));
      }),
    );
  });
});

const command = {
  name: 'copy',
  arguments: '<file>',
  options: {
    'dry-run': { type: 'boolean', description: 'Only say what would be done, and do nothing else at all.' },
    out: { type: 'string', description: 'Where to.' },
  },
  help: 'Copies a file.\n\nIt has a second paragraph with more words, so that it has to be wrapped at this width.',
  examples: [['copy a.csv --out b.csv', 'Copy one file to another one.']],
  run: async () => {},
} as const;

describe('the arguments of a command', () => {
  const parse = (...args: string[]) => parseInvocation(command, args, new AbortController().signal);

  test('are options and positionals in any order', () => {
    const { values, positionals } = parse('a', '--out', 'b', '--dry-run', '--', '--c');
    assert.deepEqual([values, positionals], [{ out: 'b', 'dry-run': true }, ['a', '--c']]);
    assert.equal(parse('--out=-x').values.out, '-x');
    assert.equal(parse('-h').values.help, true);
  });

  for (const [args, message] of [
    [['--dryrun'], 'Unknown option "--dryrun". Did you mean "--dry-run"?'],
    [['--hepl'], 'Unknown option "--hepl". Did you mean "--help"?'],
    [['--zzz'], 'Unknown option "--zzz".'],
    [['-x'], 'Unknown option "-x".'],
    [['--constructor'], 'Unknown option "--constructor".'],
    [['--dry-run=yes'], '--dry-run takes no value.'],
    [['--out'], '--out needs a value.'],
    [['--out', '--dry-run'], '--out needs a value.'],
  ] as const) {
    test(`${args.join(' ')} is rejected with one line`, () => {
      assert.throws(() => parse(...args), new UsageError(message));
    });
  }
});

test('help has examples and is as narrow as the terminal', () => {
  const wide = renderHelp(command, 100);
  assert.match(wide, /^Usage: firmament copy <file> \[options\]\n\nCopies a file\.\n\nIt has/);
  assert.match(wide, /^Examples:\n {2}firmament copy a\.csv --out b\.csv {2}Copy one file to another one\.$/m);
  for (const width of [40, 60, 80]) assert.ok(lengths(renderHelp(command, width)).every((length) => length <= width));
});

describe('the progress of an import', () => {
  function show(isTTY: boolean) {
    let text = '';
    const stream = { isTTY, write: (part: string) => (text += part) } as unknown as NodeJS.WriteStream;
    const display = createDisplay(stream);
    const bytes = { bytes: 10, totalBytes: 10 };
    for (let rows = 0; rows < 1_000; rows++) display.update(describeRows({ phase: 'reading', rows, ...bytes }));
    display.update(describeRows({ phase: 'publishing', rows: 1_000, ...bytes }));
    display.end();
    return text;
  }

  test('names the phase in which nothing is read any more, and leaves no line behind', () => {
    assert.ok(show(true).endsWith('\r\x1b[KPublishing 1,000 rows …\r\x1b[K'));
    assert.equal(show(false), '', 'a short import prints no progress into a file');
  });
});
