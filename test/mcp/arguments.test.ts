import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { tools } from '../../src/api/mcp/protocol.ts';
import { useMeteredService } from '../api/metered-service.ts';
import { callMessage, post, readJson } from './connect.ts';

/** UUIDv5 of GB/gb/00000001. */
const ALPHA = '8cfb7733-0cb1-511b-8310-bbbf2455fb10';

type Arguments = Readonly<Record<string, unknown>>;

/** Values of all arguments of every tool. `alone` has arguments that exclude each other. A new tool needs an entry. */
const samples: Readonly<Record<string, { readonly given: Arguments; readonly alone?: readonly Arguments[] }>> = {
  search_companies: {
    given: {
      words: 'alpha',
      q: 'alpha',
      country: 'GB',
      register: 'gb',
      status: 'active',
      legalForm: 'Private Limited Company',
      sort: '-updatedAt',
      page: 1,
    },
    alone: [
      { activity: '62012' },
      { legalFormCode: 'AS' },
      { isic: '62' },
      { jurisdiction: 'US-NY' },
      { elf: 'H0PO' },
      { legalFormClass: 'limited_company' },
      { registeredFrom: '2020-01-31' },
      { registeredTo: '2020-01-31' },
    ],
  },
  match_company: { given: { name: 'alpha ltd', country: 'GB', registrationNumber: '00000001', city: 'London' } },
  get_company: { given: { id: ALPHA, sourceData: true } },
  list_countries: { given: {} },
  recent_changes: {
    given: { since: '2020-01-01', country: 'GB', register: 'gb', type: 'loaded' },
    alone: [{ companyId: ALPHA }, { cursor: 'not a cursor' }],
  },
  check_registration_number: { given: { number: '00000001', country: 'GB' } },
  verify_provenance: { given: { id: ALPHA } },
};

describe('the arguments of every tool', () => {
  const metered = useMeteredService('sqlite');

  async function call(key: string, name: string, given: unknown) {
    const reply = await post(metered.service, callMessage(name, given), { 'x-api-key': key });
    assert.equal(reply.status, 200, name);
    const { result, error } = await readJson(reply);
    assert.equal(error, undefined, name);
    return { content: result.content, data: result.structuredContent, isError: result.isError === true };
  }

  test('every tool has samples of all its arguments', () => {
    assert.deepEqual(
      tools.map(({ name }) => name),
      Object.keys(samples),
    );
    for (const { name, input } of tools) {
      const { given, alone = [] } = samples[name] ?? assert.fail(name);
      const named = [given, ...alone].flatMap((each) => Object.keys(each)).toSorted();
      assert.deepEqual(named, Object.keys(input.properties).toSorted(), name);
    }
  });

  test('optional arguments can be omitted one by one', async () => {
    const { secret } = await metered.newKey('business');
    for (const { name, input } of tools) {
      const { given } = samples[name] ?? assert.fail(name);
      const required = new Set<string>(input.required ?? []);
      for (const left of Object.keys(given)) {
        const rest = Object.fromEntries(Object.entries(given).filter(([argument]) => argument !== left));
        const { isError, content } = await call(secret, name, rest);
        assert.equal(isError, required.has(left), `${name} without ${left}`);
        if (isError) assert.match(content[0].text, new RegExp(`^invalid_request: The argument "${left}" `));
      }
      const without = await call(secret, name, undefined);
      assert.deepEqual(without, await call(secret, name, {}), `${name} without arguments`);
      assert.equal(without.isError, required.size > 0, name);
    }
  });

  test('unknown arguments and values of another type are rejected, and cost nothing', async () => {
    const key = await metered.newKey('business');
    for (const { name, input } of tools) {
      const { given } = samples[name] ?? assert.fail(name);
      const unknown = await call(key.secret, name, { ...given, nonsense: 1 });
      assert.match(unknown.content[0].text, /^invalid_request: Unknown argument "nonsense": /, name);
      for (const argument of Object.keys(input.properties)) {
        const wrong = await call(key.secret, name, { ...given, [argument]: { a: [] } });
        assert.match(wrong.content[0].text, new RegExp(`^invalid_request: The argument "${argument}" `));
      }
    }
    const [, quota] = await metered.counts(key);
    assert.equal(quota, 0);
  });

  test('registers without data are not listed, and countries without data are planned', async () => {
    const { secret } = await metered.newKey();
    const { data, content } = await call(secret, 'list_countries', {});
    assert.deepEqual(
      data.registers.map(({ id, companies }: { id: string; companies: number }) => [id, companies]),
      [['gb', 2]],
    );
    assert.deepEqual(
      data.countries.map(({ code }: { code: string }) => code),
      ['GB'],
    );
    assert.ok(data.planned.includes('NO') && !data.planned.includes('GB'));
    assert.match(
      content[0].text,
      /^1 country: GB\. Planned: .*NO.*\. Registers:\n- gb \(GB\): [^\n]+, 2 companies, [^\n]+$/,
    );
  });
});
