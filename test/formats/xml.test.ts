import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SaxesParser } from 'saxes';
import type { Json } from '../../src/base/source-files.ts';
import { readXml } from '../../src/formats/xml.ts';
import { collect, collectValues, feed, feedBytes } from './feed.ts';

/** Reads the same records with a general, validating parser. */
function readBySaxes(text: string, element: string): Json[] {
  const records: Json[] = [];
  const path: { name: string; node: { [key: string]: Json }; text: string }[] = [];
  const parser = new SaxesParser({ xmlns: false });
  const addText = (part: string) => {
    const open = path.at(-1);
    if (open !== undefined) open.text += part;
  };
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('opentag', ({ name, attributes }) => {
    if (path.length === 0 && name.slice(name.indexOf(':') + 1) !== element) return;
    const node = Object.fromEntries(Object.entries(attributes).map(([key, value]) => [`@${key}`, value]));
    path.push({ name, node, text: '' });
  });
  parser.on('closetag', () => {
    const open = path.pop();
    if (open === undefined) return;
    const { name, node, text } = open;
    const value = Object.keys(node).length === 0 ? text : text.trim() === '' ? node : { ...node, '#text': text };
    const parent = path.at(-1)?.node;
    const present = parent?.[name];
    if (parent === undefined) records.push(value);
    else if (present === undefined) parent[name] = value;
    else parent[name] = Array.isArray(present) ? [...present, value] : [present, value];
  });
  parser.write(text).close();
  return records;
}

test('elements become nested objects', async () => {
  const text = `<?xml version="1.0" encoding="UTF-8"?>
<!-- invented --><lei:Data xmlns:lei="urn:x"><lei:Header><lei:Count>2</lei:Count></lei:Header><lei:Records>
  <lei:Record><lei:LEI>X1</lei:LEI><lei:Name xml:lang="et">Näidis &amp; Pojad</lei:Name><lei:Empty/>
    <lei:Old type="A">One</lei:Old><lei:Old type="B">Two</lei:Old><lei:Tag> a </lei:Tag><lei:Tag/><lei:Tag>c</lei:Tag></lei:Record>
  <lei:Record id="7"><lei:Text><![CDATA[<b> & ]]>more</lei:Text><lei:Inner><lei:Record>kept</lei:Record></lei:Inner></lei:Record>
  <other:Record xmlns:other="urn:y">plain</other:Record>
</lei:Records></lei:Data>`;
  const expected = [
    {
      place: 1,
      value: {
        'lei:LEI': 'X1',
        'lei:Name': { '@xml:lang': 'et', '#text': 'Näidis & Pojad' },
        'lei:Empty': '',
        'lei:Old': [
          { '@type': 'A', '#text': 'One' },
          { '@type': 'B', '#text': 'Two' },
        ],
        'lei:Tag': [' a ', '', 'c'],
      },
    },
    { place: 2, value: { '@id': '7', 'lei:Text': '<b> & more', 'lei:Inner': { 'lei:Record': 'kept' } } },
    { place: 3, value: { '@xmlns:other': 'urn:y', '#text': 'plain' } },
  ];
  const rows = await collect(readXml(feed(text), 'Record'));
  assert.deepEqual(rows, expected);
  assert.deepEqual(Object.keys(rows[0]?.value as object), ['lei:LEI', 'lei:Name', 'lei:Empty', 'lei:Old', 'lei:Tag']);
  assert.deepEqual(await collect(readXml(feedBytes(text), 'Record')), expected);
});

test('the declaration sets the encoding, a byte order mark overrides it', async () => {
  const head = Buffer.from('<?xml version="1.0" encoding="windows-1251"?><DATA><R><NAME>');
  const tail = Buffer.from('</NAME></R></DATA>');
  const cyrillic = Buffer.concat([head, Buffer.from([0xca, 0xe8, 0xbf, 0xe2]), tail]);
  assert.deepEqual(await collect(readXml(feed(cyrillic), 'R')), [{ place: 1, value: { NAME: 'Київ' } }]);
  const marked = Buffer.concat([Buffer.from('\ufeff'), head, Buffer.from('Київ'), tail]);
  assert.deepEqual(await collect(readXml(feed(marked), 'R')), [{ place: 1, value: { NAME: 'Київ' } }]);
});

/** Well-formed XML with everything an element may contain, and names that are prefixes of each other. */
const names = fc.constantFrom('r', 'p:r', 'rr', 'r-1', 'ab', 'q:Name');
const space = fc.constantFrom('', '', ' ', '\n\t', '\r\n');
const texts = fc.constantFrom(
  'a',
  'Näidis',
  '&amp;',
  '&#x41;&#66;',
  '>',
  '"',
  "'",
  ' ',
  '\r\n',
  '株',
  '😀',
  '&lt;/r&gt;',
);
const specials = fc.constantFrom('<!-- </r> -->', '<![CDATA[</r><r>&]]>', '<?php </x> ?>', '<!---->', '<![CDATA[]]>');
const attribute = fc.tuple(fc.constantFrom('a', 'xml:lang', 'b-c'), fc.array(texts), fc.constantFrom('"', "'"), space);
const attributes = fc
  .uniqueArray(attribute, { selector: ([name]) => name, maxLength: 3 })
  .map((list) =>
    list
      .map(
        ([name, value, quote, gap]) => ` ${name}${gap}=${gap}${quote}${value.join('').replaceAll(quote, '')}${quote}`,
      )
      .join(''),
  );
const { element } = fc.letrec<{ element: string; content: string }>((tie) => ({
  element: fc
    .tuple(names, attributes, space, fc.option(fc.array(tie('content'), { maxLength: 5 })))
    .map(([name, tag, gap, content]) =>
      content === null ? `<${name}${tag}${gap}/>` : `<${name}${tag}${gap}>${content.join('')}</${name}${gap}>`,
    ),
  content: fc.oneof({ depthSize: 'small' }, texts, space, specials, tie('element')),
}));

test('any XML is read as a general parser reads it, however it is chunked', async () => {
  const document = fc.array(fc.oneof(element, space, fc.constant('<!-- <r> -->')), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(document, fc.array(fc.nat(400), { maxLength: 6 }), async (parts, cuts) => {
      const text = `<?xml version="1.0"?>\n<all>${parts.join('')}</all>\n`;
      assert.deepEqual(await collectValues(readXml(feed(text, cuts), 'r')), readBySaxes(text, 'r'));
    }),
    { numRuns: 2_000 },
  );
});

test('XML that is cut off is refused', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(element, { minLength: 1, maxLength: 3 }), fc.nat(), async (parts, at) => {
      const text = `<all><r>1</r>${parts.join('')}</all>`;
      const cut = text.slice(0, 6 + (at % (text.length - 6)));
      await assert.rejects(collect(readXml(feed(cut), 'r')), { name: 'FormatError', message: /^record \d+: / });
    }),
  );
});

test('names inherited by objects, and processing instructions that look like end tags', async () => {
  const text = '<a><r><constructor>x</constructor><__proto__>y</__proto__></r><r>1<?p </r> ?>2</r></a>';
  const values = await collectValues(readXml(feed(text), 'r'));
  assert.equal(JSON.stringify(values), '[{"constructor":"x","__proto__":"y"},"12"]');
});

test('a record of 64 levels is read, a deeper one is refused', async () => {
  const nest = (levels: number) => `<a><r>${'<n>'.repeat(levels)}${'</n>'.repeat(levels)}</r></a>`;
  assert.equal((await collect(readXml(feed(nest(63)), 'r'))).length, 1);
  await assert.rejects(collect(readXml(feed(nest(64)), 'r')), /^FormatError: record 1: .*nested more than 64 levels/);
});

test('many records come in batches', async () => {
  const text = `<a>${'<r><n>1</n></r>'.repeat(20_000)}</a>`;
  const cuts = Array.from({ length: 20 }, (_, index) => index * 16_384);
  assert.equal((await collect(readXml(feed(text, cuts), 'r'))).length, 20_000);
});

test('a record that never ends is refused before it fills the memory', async () => {
  const endless = (async function* () {
    yield Buffer.from('<a><r>1</r><r>');
    for (;;) yield Buffer.alloc(8_000_000, 'x');
  })();
  await assert.rejects(collect(readXml(endless, 'r')), { name: 'FormatError', message: /^record 2: .*not closed/ });
});

test('character references up to U+10FFFF are decoded, others are errors', async () => {
  const read = (entity: string) => collectValues(readXml(feed(`<a><r>${entity}</r></a>`), 'r'));
  assert.deepEqual(await read('&#x10FFFF;&#1114111;'), ['\u{10ffff}\u{10ffff}']);
  for (const entity of ['&#x110000;', '&#1114112;', '&#x;', '&#;', '&lt', '&copy;'])
    await assert.rejects(read(entity), { name: 'FormatError', message: /unknown entity/ }, entity);
});

test('malformed, truncated or wrongly encoded XML causes an error that names the record', async () => {
  const failing = (text: string | Uint8Array, message: RegExp) =>
    assert.rejects(collect(readXml(feed(text), 'r')), { name: 'FormatError', message });
  await failing('<a><r>1</r><r>2</r>', /^record 3: .*truncated or damaged/);
  await failing('<a><r>1</r><r>2</a>', /^record [23]: .*damaged/);
  await failing('<a><r>&nbsp;</r></a>', /^record 1: .*damaged/);
  await failing('name,b\n1,2\n', /^record 1: .*damaged/);
  await failing('', /^record 1: /);
  await failing('<a><r>1</r></a><a/>', /^record 2: .*a second root element/);
  await failing('<a><r>1</r></a>x', /^record 2: .*text after the root element/);
  await failing('x<a/>', /^record 1: .*text outside the root element/);
  await failing(
    Buffer.concat([Buffer.from('<a><r>'), Buffer.from([0xff]), Buffer.from('</r></a>')]),
    /^bytes that are not utf-8/,
  );
  await failing('<?xml version="1.0" encoding="klingon"?><a/>', /unknown encoding klingon/);
});

test('records with other elements, attributes or order than earlier ones, and with thousands of names', async () => {
  const forms = [
    '<a>1</a><bc>2</bc><b><c>3</c></b>',
    '<b>2</b><a x="1">1</a>',
    '<bc/><bc >2</bc ><bc>3</bc>',
    '<a><b>1</b></a>',
  ];
  const values = [
    { a: '1', bc: '2', b: { c: '3' } },
    { b: '2', a: { '@x': '1', '#text': '1' } },
    { bc: ['', '2', '3'] },
    { a: { b: '1' } },
  ];
  const many = Array.from({ length: 3_000 }, (_, index) => ({ [`n${index}`]: { [`m${index}`]: 'x' } }));
  const tags = many.map((_, index) => `<n${index}><m${index}>x</m${index}></n${index}>`);
  const contents = [...forms, ...tags, ...forms];
  const text = `<all>${contents.map((content) => `<r>${content}</r>`).join('')}</all>`;
  assert.deepEqual(await collectValues(readXml(feed(text), 'r')), [...values, ...many, ...values]);
  await assert.rejects(
    collectValues(readXml(feed('<all><r><a>1</a></r><r><a>1</b></r></all>'), 'r')),
    /end tag b has no start tag/,
  );
});
