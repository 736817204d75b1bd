import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import Type from 'typebox';
import { NewCheckout } from '../src/api/billing.ts';
import { MonitorUpdate } from '../src/api/monitors.ts';
import { NewApiKey } from '../src/api/named-secrets.ts';
import { NewWebhookEndpoint } from '../src/api/webhook-endpoints.ts';
import { compileReader } from '../src/base/validation.ts';
import { MatchParameters } from '../src/search/match-parameters.ts';
import { SearchParameters } from '../src/search/parameters.ts';

/** The message of the error that the reader throws. */
function messageOf(read: (given: unknown) => unknown, given: unknown): string {
  try {
    read(given);
  } catch (error) {
    return (error as Error).message;
  }
  return 'accepted';
}

test('messages about the parameters of a match', () => {
  const read = compileReader(MatchParameters, 'body');
  for (const [given, message] of [
    [{}, 'The field "name" is required: it must be a string of 1 to 10000 characters.'],
    [{ name: 'x'.repeat(10_001) }, 'The field "name" has 10001 characters; the maximum is 10000.'],
    [
      { name: 'x', limit: 21 },
      'The field "limit" must be an integer from 1 to 20, written in plain digits; omit it for the default, 5.',
    ],
    [
      { name: 'x', registeredAt: '31.5.2019' },
      'The field "registeredAt" must be a year, a month or a day, such as 2019, 2019-05 or 2019-05-31.',
    ],
    [{ name: 'x', postcod: 'y' }, 'Unknown field "postcod": did you mean "postcode"?'],
  ] as const) {
    assert.equal(messageOf(read, given), message);
  }
});

describe('messages about query parameters', () => {
  const read = compileReader(SearchParameters, 'query');
  const page = 'must be a page number in plain digits, 1 or higher; omit it for the default, 1.';
  const day = 'must be a date such as 2024-01-31 (year, month, day); omit it for no limit.';
  const pageSize = 'must be an integer from 1 to 100, written in plain digits; omit it for the default, 25.';
  const cases: readonly [Record<string, unknown>, string][] = [
    [{ page: '1e1' }, `The query parameter "page" ${page}`],
    [{ page: '0' }, `The query parameter "page" ${page}`],
    [{ pageSize: '101' }, `The query parameter "pageSize" ${pageSize}`],
    [{ pageSize: '' }, `The query parameter "pageSize" ${pageSize}`],
    [{ q: 'x'.repeat(4_001) }, 'The query parameter "q" has 4001 characters; the maximum is 4000.'],
    [{ q: 'a\0' }, 'The query parameter "q" must not contain the character U+0000.'],
    [
      { country: 'GBR' },
      'The query parameter "country" must be a two-letter country code (ISO 3166-1 alpha-2), such as GB; omit it to search ' +
        'all countries.',
    ],
    [{ legalForm: '' }, 'The query parameter "legalForm" must not be empty: give a value, or omit the parameter.'],
    [
      { activityType: 'both' },
      'The query parameter "activityType" must be "unlicensed" or "licensed"; omit it for the default, "unlicensed".',
    ],
    [{ sort: 'age' }, 'The query parameter "sort" must be "name", "-registeredAt", "-updatedAt" or "relevance".'],
    [{ registeredFrom: '2024-02-30' }, `The query parameter "registeredFrom" ${day}`],
    [{ registeredTo: '31.12.2024' }, `The query parameter "registeredTo" ${day}`],
    [{ q: ['a', 'b'] }, 'The query parameter "q" is given more than once.'],
    [{ pagesize: '5', page: 'x' }, 'Unknown query parameter "pagesize": did you mean "pageSize"?'],
    [
      { somebody: '1' },
      'Unknown query parameter "somebody": use q, words, country, register, jurisdiction, status, legalForm, legalFormCode, elf, legalFormClass, activity, activityType, isic, registeredFrom, registeredTo, sort, page or pageSize.',
    ],
    [
      Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`pag${index}/~`, '1'])),
      'Unknown query parameter "pag0/~": use q, words, country, register, jurisdiction, status, legalForm, legalFormCode, elf, legalFormClass, activity, activityType, isic, registeredFrom, registeredTo, sort, page or pageSize.',
    ],
    [{ ['x'.repeat(50)]: '1' }, new RegExp(`^Unknown query parameter "${'x'.repeat(40)}…"`).source],
  ];
  for (const [given, message] of cases) {
    test(JSON.stringify(given).slice(0, 60), () => {
      const actual = messageOf(read, given);
      if (message.startsWith('^')) assert.match(actual, new RegExp(message));
      else assert.equal(actual, message);
    });
  }

  test('a schema without properties takes no parameters', () => {
    const nothing = compileReader(Type.Object({}, { additionalProperties: false }), 'query');
    assert.equal(messageOf(nothing, { a: '1' }), 'Unknown query parameter "a": remove it, this path has none.');
    assert.deepEqual(nothing({}), {});
  });
});

describe('messages about bodies', () => {
  const readKey = compileReader(NewApiKey, 'body');
  const readCheckout = compileReader(NewCheckout, 'body');

  test('a body that is not an object', () => {
    for (const given of [undefined, null, [], 'name', 5]) {
      assert.equal(messageOf(readKey, given), 'The body must be a JSON object with the fields "name" and "canManage".');
    }
  });

  test('a missing, wrong, empty, long or unknown field', () => {
    const expected = 'must be a string of 1 to 60 characters';
    assert.equal(messageOf(readKey, {}), `The field "name" is required: it ${expected}.`);
    assert.equal(messageOf(readKey, { name: 5 }), `The field "name" ${expected}.`);
    assert.equal(messageOf(readKey, { name: '' }), 'The field "name" must not be empty.');
    const readShort = compileReader(Type.Object({ name: Type.String({ maxLength: 60 }) }), 'body');
    assert.equal(
      messageOf(readShort, { name: 'x'.repeat(61) }),
      'The field "name" has 61 characters; the maximum is 60.',
    );
    assert.equal(messageOf(readKey, { nam: 'x' }), 'Unknown field "nam": did you mean "name"?');
    assert.equal(messageOf(readCheckout, { plan: 'free' }), 'The field "plan" must be "pro" or "business".');
    assert.equal(
      messageOf(readKey, { name: 'x', canManage: 'yes' }),
      'The field "canManage" must be a boolean; omit it for the default, false.',
    );
  });

  test('a field of an object in the body', () => {
    const read = compileReader(MonitorUpdate, 'body');
    for (const [search, message] of [
      [5, 'The field "search" must be an object with the parameters of a search, except sort, page and pageSize.'],
      [{ q: 'a\0' }, 'The field "search.q" must not contain the character U+0000.'],
      [{ contry: 'GB' }, 'Unknown field "search.contry": did you mean "country"?'],
      [
        { country: 'GBR' },
        'The field "search.country" must be a two-letter country code (ISO 3166-1 alpha-2), such as GB; omit it to search all countries.',
      ],
    ] as const) {
      assert.equal(messageOf(read, { search }), message);
    }
    const readEndpoint = compileReader(NewWebhookEndpoint, 'body');
    const url = 'https://example.com/';
    for (const [given, message] of [
      [{ url, monitorIds: [] }, 'The field "monitorIds" must be null or a list of 1 to 200 ids of monitors.'],
      [{ url, monitorIds: ['x'] }, 'The field "monitorIds" must be null or a list of 1 to 200 ids of monitors.'],
      [
        { url, description: 'a\0' },
        'The field "description" must be null or a string of up to 200 characters, without control characters.',
      ],
    ] as const) {
      assert.equal(messageOf(readEndpoint, given), message);
    }
  });
});

test('path parameters: an id that is not a UUID', () => {
  const read = compileReader(Type.Object({ id: Type.String({ format: 'uuid' }) }), 'path');
  assert.equal(messageOf(read, { id: 'x' }), 'The path parameter "id" must be a UUID.');
});

test('any input is accepted or rejected with a complete sentence, and never crashes the reader', () => {
  const readers = [
    compileReader(SearchParameters, 'query'),
    compileReader(NewApiKey, 'body'),
    compileReader(NewCheckout, 'body'),
    compileReader(MonitorUpdate, 'body'),
    compileReader(NewWebhookEndpoint, 'body'),
  ];
  fc.assert(
    fc.property(fc.constantFrom(...readers), fc.dictionary(fc.string(), fc.anything()), (read, given) => {
      assert.match(messageOf(read, given), /^accepted$|^(The|Unknown) .*[.?]$/s);
    }),
  );
});
