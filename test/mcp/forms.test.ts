import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createTools } from '../../src/mcp/tools.ts';
import { useMeteredService } from '../api/metered-service.ts';
import { usualEngines } from '../harness/databases.ts';
import { headerForms, type Received, respell, revisionForms, samples, send } from './forms.ts';

/** What a tool returned, whatever the revision adds to it. */
function resultOf({ status, type, text }: Received, id: unknown, name: string) {
  assert.equal(status, 200, `${name}: ${text}`);
  assert.match(type, /^application\/json/, name);
  const { result, error, id: received } = JSON.parse(text);
  assert.equal(error, undefined, `${name}: ${text}`);
  assert.equal(received, id, name);
  return { content: result.content, data: result.structuredContent, isError: result.isError === true };
}

for (const engine of usualEngines) {
  describe(`every tool in every form of call on ${engine}`, () => {
    const metered = useMeteredService(engine);
    const tools = () => createTools(metered.service.services);

    /** Calls a tool in one form. */
    async function call(
      key: string,
      name: string,
      given: unknown,
      { revision = '2025-11-25', headers = {}, id = 1 } = {},
    ) {
      const form = revisionForms[revision] ?? assert.fail(revision);
      const { body, headers: own } = form({ name, ...(given !== undefined && { arguments: given }) }, id);
      const reply = await send(metered.service.url, JSON.stringify(body), { 'x-api-key': key }, own, headers);
      return resultOf(reply, id, `${name} ${JSON.stringify(given)} in ${revision}`);
    }

    test('every tool has samples of all its arguments', () => {
      assert.deepEqual(
        tools().map(({ name }) => name),
        Object.keys(samples),
      );
      for (const { name, input } of tools()) {
        const { given, alone = [] } = samples[name] ?? assert.fail(name);
        const named = [given, ...alone].flatMap((each) => Object.keys(each)).toSorted();
        assert.deepEqual(named, Object.keys(input.properties).toSorted(), name);
      }
    });

    test('revisions, ids and header spellings do not change the result', async () => {
      const { secret } = await metered.newKey('business');
      for (const { name } of tools()) {
        const { given } = samples[name] ?? assert.fail(name);
        const expected = await call(secret, name, given);
        assert.equal(expected.isError, false, JSON.stringify(expected));
        assert.match(expected.content[0].text, /ALPHA LTD|2 companies|was loaded|00000001/, name);
        for (const revision of Object.keys(revisionForms)) {
          for (const id of [1, 0, -7, 'text', '1', 9_007_199_254_740_991] as number[]) {
            assert.deepEqual(await call(secret, name, given, { revision, id }), expected, `${name} ${revision} ${id}`);
          }
          const { body, headers: own } = revisionForms[revision]?.({ name, arguments: given }) ?? assert.fail(revision);
          for (const form of headerForms) {
            const headers = form(secret);
            const reply = await send(metered.service.url, JSON.stringify(body), own, headers);
            const label = `${name} ${revision} ${Object.entries(headers).join()}`;
            assert.deepEqual(resultOf(reply, 1, label), expected, label);
          }
        }
      }
    });

    test('optional arguments can be omitted one by one, and ids and countries be spelled in any case', async () => {
      const { secret } = await metered.newKey('business');
      for (const tool of tools()) {
        const { name, input } = tool;
        const { given, alone = [] } = samples[name] ?? assert.fail(name);
        const required = new Set<string>(input.required ?? []);
        for (const revision of ['2025-11-25', '2026-07-28']) {
          for (const whole of [given, ...alone.filter(({ companyId }) => companyId !== undefined)]) {
            const expected = await call(secret, name, whole, { revision });
            for (const other of respell(tool, whole)) {
              assert.deepEqual(
                await call(secret, name, other, { revision }),
                expected,
                `${name} ${JSON.stringify(other)}`,
              );
            }
          }
          for (const left of Object.keys(given)) {
            const rest = Object.fromEntries(Object.entries(given).filter(([argument]) => argument !== left));
            const { isError, content } = await call(secret, name, rest, { revision });
            assert.equal(isError, required.has(left), `${name} without ${left}`);
            if (isError) assert.match(content[0].text, new RegExp(`^invalid_request: The argument "${left}" `));
          }
          const without = await call(secret, name, undefined, { revision });
          assert.deepEqual(without, await call(secret, name, {}, { revision }), `${name} without arguments`);
          assert.equal(without.isError, required.size > 0, name);
        }
      }
    });

    test('unknown arguments and values of another type are rejected, and cost nothing', async () => {
      const key = await metered.newKey('business');
      for (const { name, input } of tools()) {
        const { given } = samples[name] ?? assert.fail(name);
        for (const revision of ['2025-11-25', '2026-07-28']) {
          const unknown = await call(key.secret, name, { ...given, nonsense: 1 }, { revision });
          assert.match(unknown.content[0].text, /^invalid_request: Unknown argument "nonsense": /, name);
          for (const argument of Object.keys(input.properties)) {
            const wrong = await call(key.secret, name, { ...given, [argument]: { a: [] } }, { revision });
            assert.match(wrong.content[0].text, new RegExp(`^invalid_request: The argument "${argument}" `));
          }
        }
      }
      const [, quota] = await metered.counts(key);
      assert.equal(quota, 0);
    });

    test('as notification a call is accepted and not run; as batch it is refused; both count and are free', async () => {
      const key = await metered.newKey('business');
      let window = 0;
      for (const { name } of tools()) {
        const { given } = samples[name] ?? assert.fail(name);
        for (const form of Object.values(revisionForms)) {
          const { body, headers } = form({ name, arguments: given });
          const { id: _, ...notification } = body as { id: unknown };
          for (const [sent, status] of [
            [notification, 202],
            [[body], 400],
            [[body, notification], 400],
          ] as const) {
            const reply = await send(metered.service.url, JSON.stringify(sent), headers, { 'x-api-key': key.secret });
            assert.equal(reply.status, status, `${name} ${reply.text}`);
            assert.deepEqual(await metered.counts(key), [++window, 0], name);
          }
        }
      }
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
}
