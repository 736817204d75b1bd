import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import fc from 'fast-check';
import {
  asText,
  type Coding,
  compress,
  keepCompressed,
  parseAcceptEncoding,
} from '../../src/base/system/compression.ts';
import { anyCharacter } from '../harness/any-character.ts';

const decompress = { zstd: zstdDecompressSync, br: brotliDecompressSync, gzip: gunzipSync };
const CODINGS = Object.keys(decompress) as Coding[];

describe('Accept-Encoding', () => {
  for (const [header, preferred, acceptsPlain] of [
    [undefined, undefined, true],
    ['', undefined, true],
    ['gzip', 'gzip', true],
    ['GZip', 'gzip', true],
    ['x-gzip', 'gzip', true],
    ['gzip, deflate, br, zstd', 'zstd', true],
    ['gzip, deflate, br', 'br', true],
    ['gzip;q=1.0, br;q=0.9', 'gzip', true],
    ['br ; q = 0.2 , gzip ; Q=0.3', 'gzip', true],
    ['zstd;q=0.001', 'zstd', true],
    ['zstd;q=0, br;q=0.000, gzip;q=0.0', undefined, true],
    ['deflate, compress', undefined, true],
    ['*', 'gzip', true],
    ['*;q=0.5, gzip;q=0', undefined, true],
    ['br, *;q=0', 'br', false],
    ['*;q=0', undefined, false],
    ['identity', undefined, true],
    ['identity;q=0', undefined, false],
    ['gzip, identity;q=0', 'gzip', false],
    ['identity, gzip;q=0.5', undefined, true],
    ['identity;q=0.5, gzip', 'gzip', true],
    ['identity, gzip', 'gzip', true],
    ['gzip;q=2', undefined, true],
    ['gzip;q=-1', undefined, true],
    ['gzip;q=', undefined, true],
    ['gzip;q=0.1234', undefined, true],
    ['gzip;level=9', undefined, true],
    ['gzip br', undefined, true],
    ['gzipx', undefined, true],
    [',,gzip,', 'gzip', true],
    ['"gzip"', undefined, true],
    ['br;q=x, gzip', 'gzip', true],
  ] as const) {
    test(`${JSON.stringify(header)} → ${preferred ?? 'plain'}`, () => {
      const codings = parseAcceptEncoding(header);
      assert.deepEqual([codings.preferred, codings.acceptsPlain], [preferred, acceptsPlain]);
    });
  }

  test('any list of weights: the preferred coding has the highest weight, and a weight of 0 excludes a coding', () => {
    const weight = fc.integer({ min: 0, max: 1_000 }).map((thousandths) => thousandths / 1_000);
    const list = fc.uniqueArray(fc.tuple(fc.constantFrom(...CODINGS, 'identity', 'deflate'), weight), {
      selector: ([name]) => name,
    });
    fc.assert(
      fc.property(list, (entries) => {
        const header = entries.map(([name, q]) => `${name};q=${q}`).join(', ');
        const { preferred, accepted, acceptsPlain } = parseAcceptEncoding(header);
        const weights = new Map<string, number>(entries);
        const best = Math.max(0, ...CODINGS.map((coding) => weights.get(coding) ?? 0));
        assert.deepEqual([...accepted].sort(), CODINGS.filter((coding) => (weights.get(coding) ?? 0) > 0).sort());
        assert.equal(acceptsPlain, weights.get('identity') !== 0);
        if (best === 0 || (weights.get('identity') ?? 0) > best) assert.equal(preferred, undefined);
        else assert.equal(weights.get(preferred ?? ''), best);
      }),
    );
  });

  test('any header can be read, and the preferred coding is an accepted one', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 300 }), (header) => {
        const { preferred, accepted } = parseAcceptEncoding(header);
        if (preferred !== undefined) assert.ok(accepted.includes(preferred));
      }),
    );
  });
});

describe('compress', () => {
  for (const coding of CODINGS) {
    test(`${coding}: text and bytes of any size have the same content after decompression`, async () => {
      for (const size of [0, 1, 1_024, 32 * 1024, 32 * 1024 + 1, 300_000]) {
        const text = 'Ærø & Søn '.repeat(size / 10 + 1).slice(0, size);
        const fromText = await compress(text, coding);
        const fromBytes = await compress(Buffer.from(text), coding);
        assert.equal(decompress[coding](fromText).toString(), text);
        assert.equal(decompress[coding](fromBytes).toString(), text);
        if (size > 1_000) assert.ok(fromText.length < size / 10);
      }
    });

    test(`${coding}: a large body does not block the event loop`, () => {
      assert.ok(compress(Buffer.alloc(32 * 1024, 'a'), coding) instanceof Buffer);
      assert.ok(compress(Buffer.alloc(32 * 1024 + 1, 'a'), coding) instanceof Promise);
    });
  }

  test('a body that is kept is compressed once per coding', async () => {
    const body = keepCompressed(Buffer.from('kept '.repeat(10_000)));
    const [first, second, other] = await Promise.all([
      compress(body, 'br'),
      compress(body, 'br'),
      compress(body, 'gzip'),
    ]);
    assert.equal(first, second);
    assert.notEqual(first, other);
    assert.equal(gunzipSync(other ?? '').toString(), brotliDecompressSync(first ?? '').toString());
  });

  test('a body that is kept also exists as text with one character per byte, made and counted once', () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    let counted = 0;
    const body = keepCompressed(Buffer.from(bytes), (added) => {
      counted += added;
    });
    assert.deepEqual(Buffer.from(asText(body) ?? '', 'latin1'), bytes);
    assert.equal(asText(body)?.length, 256);
    assert.equal(counted, 256);
    assert.equal(asText(bytes), undefined, 'a body that is not kept');
    assert.equal(asText(keepCompressed(Buffer.alloc(64 * 1024))), undefined, 'a large body');
  });
});
