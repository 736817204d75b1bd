import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { describe, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { serializeItem } from 'structured-headers';
import { Failure } from '../../src/core/errors.ts';
import { IdempotencyHeaders, readIdempotencyKey } from '../../src/http/idempotency-key.ts';
import { runs } from '../harness/depth.ts';

const read = (...fields: string[]) =>
  readIdempotencyKey({ headersDistinct: { 'idempotency-key': fields } } as unknown as IncomingMessage);

const PRINTABLE = fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code));
const UUID = '6f1c2c1e-4a0d-4d5e-9b57-3c2f0f4a8e11';

describe('the Idempotency-Key header', () => {
  test('every string of 16 to 255 characters can be sent as a structured field', () => {
    fc.assert(
      fc.property(fc.string({ unit: PRINTABLE, minLength: 16, maxLength: 255 }), (key) => {
        assert.equal(read(serializeItem(key)), key);
      }),
    );
  });

  test('a bare value, as clients of Stripe send it, is the same key as the quoted one', () => {
    for (const key of [UUID, 'KG5LxwFBepaKHyUD', 'order_1234567890.retry:7/a+b=c~']) {
      assert.equal(read(key), key);
      assert.equal(read(`"${key}"`), key);
    }
  });

  test('the contract accepts exactly the same values', () => {
    const { 'Idempotency-Key': schema } = IdempotencyHeaders.properties;
    const isAllowed = new Ajv2020({ strict: false }).compile(schema);
    const part = fc.oneof(PRINTABLE, fc.constantFrom('"', '\\"', '\\\\', 'é', ',', ';'));
    const text = fc.oneof(
      fc.string({ unit: part, maxLength: 30 }),
      fc.constantFrom(0, 1, 15, 16, 255, 256).map((length) => 'x'.repeat(length)),
      fc.constantFrom(15, 16, 255, 256).map((length) => '\\"'.repeat(length)),
    );
    fc.assert(
      fc.property(text, fc.boolean(), (given, isQuoted) => {
        const field = isQuoted ? `"${given}"` : given;
        const isRead = (() => {
          try {
            return read(field) !== undefined;
          } catch {
            return false;
          }
        })();
        assert.equal(isAllowed(field), isRead, field);
      }),
      { numRuns: runs(1_000, 100_000) },
    );
  });

  test('without the header there is no key', () => {
    assert.equal(readIdempotencyKey({ headersDistinct: {} } as IncomingMessage), undefined);
  });

  const refused: Record<string, [fields: string[], message: RegExp]> = {
    'sent twice': [[UUID, UUID], /was sent more than once/],
    'joined by a proxy': [[`${UUID}, ${UUID}`], /not allowed/],
    'joined and quoted': [[`"${UUID}", "${UUID}"`], /not allowed/],
    empty: [[''], /is empty/],
    'an empty string': [['""'], /has 0 characters: send 16 to 255 random characters/],
    'too short': [['a'.repeat(15)], /has 15 characters/],
    'too long': [['a'.repeat(256)], /has 256 characters/],
    'too long with escapes': [[`"${'\\"'.repeat(256)}"`], /has 256 characters/],
    'with a space': [['a key with spaces in it'], /not allowed/],
    'with a parameter': [[`"${UUID}";a=1`], /not allowed/],
    'with an open quote': [[`"${UUID}`], /not allowed/],
    'with an unknown escape': [['"0123456789abcdef\\n"'], /not allowed/],
    'not ASCII': [['ÿ'.repeat(20)], /not allowed/],
  };
  for (const [title, [fields, message]] of Object.entries(refused)) {
    test(`refused: ${title}`, () => {
      const isExpected = (error: unknown) =>
        error instanceof Failure && error.code === 'invalid_request' && message.test(error.message);
      assert.throws(() => read(...fields), isExpected);
    });
  }
});
