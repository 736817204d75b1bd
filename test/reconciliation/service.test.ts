import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fail } from '../../src/base/errors.ts';
import { usualEngines } from '../harness/databases.ts';
import { ALPHA, named, PATH, UNKNOWN, useReconcile } from './reconcile-service.ts';

const unitsLeft = (headers: Headers) => Number(headers.get('x-monthly-quota-remaining'));

for (const engine of usualEngines) {
  describe(`reconciliation on ${engine}`, () => {
    const reconcile = useReconcile(engine);
    const { ask, post, newLink, usedBy, leave, seen } = reconcile;

    test('the manifest is open to all, and its addresses carry the link and the country', async () => {
      const { status, body } = await ask(PATH);
      assert.equal(status, 200);
      const { url } = reconcile.service;
      const below = (path: string) => ({ service_url: `${url}${PATH}`, service_path: path });
      const { serviceVersion, ...manifest } = body;
      assert.equal(typeof serviceVersion, 'string');
      assert.deepEqual(manifest, {
        versions: ['0.2'],
        name: 'Firmament companies',
        documentation: `${url}/docs/openrefine`,
        defaultTypes: [{ id: 'company', name: 'Company' }],
        batchSize: 50,
        identifierSpace: `${url}/entities/`,
        schemaSpace: `${url}/docs/openrefine#properties`,
        view: { url: `${url}/entities/{{id}}` },
        preview: { url: `${url}${PATH}/preview?id={{id}}`, width: 430, height: 300 },
        suggest: {
          entity: below('/suggest/entity'),
          property: below('/suggest/property'),
          type: below('/suggest/type'),
        },
        extend: { propose_properties: below('/propose'), property_settings: [] },
      });
      const link = await newLink();
      const own = (await ask(`${link.path}/gb`)).body;
      const base = `${reconcile.service.url}${link.path}/gb`;
      assert.equal(own.preview.url, `${base}/preview?id={{id}}`);
      for (const each of [...Object.values(own.suggest), own.extend.propose_properties] as {
        service_url: string;
        service_path: string;
      }[]) {
        assert.equal(each.service_url, base);
        assert.equal((await ask(link.path + '/gb' + each.service_path + '?prefix=alpha')).status, 200);
      }
      assert.match(own.name, /GB/);
      for (const unknown of ['latvia', 'zz', 'eu', 'qq', 'xa/suggest/type', 'zz/propose']) {
        const { status, body } = await ask(`${PATH}/${unknown}`);
        assert.deepEqual([status, body.error?.code], [404, 'not_found'], unknown);
      }
      assert.equal((await ask(`${link.path}/zz`)).status, 404);
      assert.equal((await post(`${link.path}/zz`, { queries: { q0: { query: 'alpha' } } })).status, 404);
      // Old codes, and UK, are the country that they mean.
      assert.match((await ask(`${PATH}/uk`)).body.name, /\(GB\)/);
    });

    test('queries by POST, GET and JSONP get the same candidates, one request of the quota each', async () => {
      const link = await newLink();
      const queries = { q0: { query: 'alpha' }, q1: { query: 'beta', limit: 1 }, q2: { query: 'nothing like it' } };
      const sent = await post(link.path, { queries });
      assert.equal(sent.status, 200);
      assert.deepEqual(Object.keys(sent.body), ['q0', 'q1', 'q2']);
      const [alpha] = sent.body.q0.result;
      assert.deepEqual(alpha, {
        id: ALPHA,
        name: 'ALPHA HOLDINGS LTD',
        description: 'United Kingdom · 00000001 · LONDON · active',
        score: 98.7,
        match: true,
        type: [{ id: 'company', name: 'Company' }],
        features: [{ id: 'word', value: 4.2 }],
      });
      assert.deepEqual([sent.body.q1.result.length, sent.body.q1.result[0].match], [1, false]);
      assert.deepEqual(sent.body.q2, { result: [] });
      assert.ok(sent.headers.get('x-data-version'));
      assert.equal(await usedBy(link), 3);
      const text = encodeURIComponent(JSON.stringify(queries));
      assert.deepEqual((await ask(`${link.path}?queries=${text}`)).body, sent.body);
      const script = await ask(`${link.path}?queries=${text}&callback=jQuery351_7.done&_=1794721260`);
      assert.equal(script.headers.get('content-type'), 'text/javascript; charset=utf-8');
      assert.equal(script.headers.get('cross-origin-resource-policy'), 'cross-origin');
      const heard: unknown[] = [];
      new Function('jQuery351_7', script.text)({ done: (value: unknown) => heard.push(value) });
      assert.deepEqual(heard, [sent.body]);
      assert.equal(await usedBy(link), 9);
    });

    test('an API key in a header works, too; without a credential it is 401', async () => {
      const key = await reconcile.service.createKey({ plan: 'free' });
      const reply = await post(PATH, { queries: named(['alpha']) }, { 'x-api-key': key });
      assert.deepEqual([reply.status, reply.body.q0.result[0].id], [200, ALPHA]);
      const without = await post(PATH, { queries: named(['alpha']) });
      assert.deepEqual([without.status, without.body.error.code], [401, 'api_key_required']);
    });

    test('properties are evidence, and a value that cannot be read is left out but prevents a match', async () => {
      const link = await newLink();
      const properties = [
        { pid: 'country', v: { id: 'x', name: 'United Kingdom' } },
        { pid: 'registrationNumber', v: ['00000001', '2'] },
        { pid: 'city', v: ' London ' },
        { pid: 'registeredAt', v: '31/05/2019' },
        { pid: 'colour', v: true },
      ];
      const { body } = await post(link.path, { queries: { q0: { query: 'alpha', type: 'company', properties } } });
      const { name, country, registrationNumber, city, registeredAt } = seen[0] ?? assert.fail('nothing was matched');
      assert.deepEqual(
        [name, country, registrationNumber, city, registeredAt],
        ['alpha', 'GB', '00000001', 'London', undefined],
      );
      assert.deepEqual([body.q0.result[0].id, body.q0.result[0].match], [ALPHA, false]);
      await post(`${link.path}/fr`, { queries: named(['alpha']) });
      assert.equal(seen[1]?.country, 'FR');
      await post(link.path, { queries: { q0: { properties: [{ pid: 'registrationNumber', v: 1 }] } } });
      assert.deepEqual([seen[2]?.name, seen[2]?.registrationNumber], ['1', '1']);
    });

    test('a query that is the id or the address of a company returns it with the highest score', async () => {
      const link = await newLink();
      const queries = named([ALPHA.toUpperCase(), `https://api.example.com/entities/${ALPHA}`, UNKNOWN]);
      const { body } = await post(link.path, { queries });
      for (const name of ['q0', 'q1']) {
        const [first] = body[name].result;
        assert.deepEqual([first.id, first.score, first.match, first.name], [ALPHA, 100, true, 'ALPHA HOLDINGS LTD']);
      }
      assert.deepEqual(body.q2, { result: [] });
      assert.equal(seen.length, 0);
      const suggested = await ask(`${link.path}/suggest/entity?prefix=${ALPHA}`);
      assert.deepEqual(
        suggested.body.result.map((each: { id: string }) => each.id),
        [ALPHA],
      );
    });

    test('one bad query gets no candidates and an explanation, costs nothing, and does not affect the others', async () => {
      const link = await newLink();
      const queries = {
        good: { query: 'alpha' },
        malformed: { query: 5 },
        misnamed: { query: 'alpha', props: [] },
        blank: { query: '   ' },
        person: { query: 'alpha', type: 'person', type_strict: 'any' },
        long: { query: 'x'.repeat(10_001) },
        __proto__: null,
      };
      const text = JSON.stringify(queries).replace(/}$/, ',"__proto__":{"query":"alpha"}}');
      const { status, body } = await post(link.path, { queries: text });
      assert.equal(status, 200);
      assert.equal(body.good.result[0].id, ALPHA);
      for (const [name, message] of [
        ['malformed', /"malformed".*"query"/],
        ['misnamed', /Unknown field "props"/],
        ['blank', /nothing to look for/],
        ['person', /no entities of this type/],
        ['long', /maximum is 10000/],
      ] as const) {
        assert.deepEqual(body[name].result, [], name);
        assert.match(body[name].error, message);
      }
      assert.equal(Object.getOwnPropertyDescriptor(body, '__proto__')?.value.result[0].id, ALPHA);
      assert.equal(await usedBy(link), 2);
      const preferred = { q0: { query: 'alpha', type: 'person', type_strict: 'should' } };
      assert.equal((await post(link.path, { queries: preferred })).body.q0.result.length, 1, 'as OpenRefine sends it');
    });

    test('a batch of more than 50 is 413, what is not a batch is 400, and neither costs anything', async () => {
      const link = await newLink();
      const many = await post(link.path, { queries: named(Array.from({ length: 51 }, () => 'alpha')) });
      assert.deepEqual([many.status, many.body.error.code], [413, 'payload_too_large']);
      assert.match(many.body.error.message, /at most 50/);
      const ids = await post(link.path, { extend: { ids: Array.from({ length: 51 }, String), properties: [] } });
      assert.equal(ids.status, 413);
      const large = await post(link.path, { queries: named(['x'.repeat(300_000)]) });
      assert.equal(large.status, 413);
      for (const fields of [
        {},
        { queries: '' },
        { queries: '[]' },
        { queries: 'null' },
        { queries: '{"q0"' },
        { queries: { q0: 1 } },
        { queries: { q0: {}, q1: [] } },
        { queries: '['.repeat(10_000) },
        { extend: '{}' },
        { extend: { ids: [1], properties: [] } },
      ]) {
        const reply = await post(link.path, fields);
        assert.deepEqual([reply.status, reply.body.error.code], [400, 'invalid_request'], JSON.stringify(fields));
      }
      for (const body of [
        '{"queries":[{"query":"alpha"}]}',
        '{"queries":{"q0":{"query":"alpha"}}}',
        '{"extend":{}}',
        '[]',
      ]) {
        const reply = await ask(link.path, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
        assert.deepEqual([reply.status, reply.body.error.code], [400, 'invalid_request'], body);
      }
      const other = await ask(link.path, { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'x' });
      assert.equal(other.status, 415);
      assert.equal(await usedBy(link), 0);
      assert.equal(seen.length, 0);
      assert.deepEqual((await post(link.path, { queries: {} })).body, {});
    });

    test('a batch that the quota cannot pay is 429 before any work, without Retry-After', async () => {
      const link = await newLink('free');
      await leave(link, 2);
      const { status, body, headers } = await post(link.path, { queries: named(['alpha', 'beta', 'alpha']) });
      assert.deepEqual([status, body.error.code], [429, 'monthly_quota_exceeded']);
      assert.match(body.error.message, /costs 3 .* 2 are left/);
      assert.equal(headers.get('retry-after'), null, 'OpenRefine would wait for weeks');
      assert.equal(seen.length, 0);
      const two = await post(link.path, { queries: named(['alpha', 'beta']) });
      assert.deepEqual([two.status, unitsLeft(two.headers)], [200, 0]);
      const none = await post(link.path, { extend: { ids: [ALPHA], properties: [] } });
      assert.deepEqual([none.status, none.headers.get('retry-after')], [429, null]);
    });

    test('a failure of ours is 503 with Retry-After and is refunded, never an empty list or a 500', async () => {
      const link = await newLink();
      for (const error of [new Error('a bug'), fail('service_unavailable', { retryAfter: 1 })]) {
        reconcile.breakMatcher(error);
        const { status, headers, body } = await post(link.path, { queries: named(['alpha', ALPHA]) });
        assert.deepEqual([status, body.error.code], [503, 'service_unavailable']);
        assert.equal(headers.get('retry-after'), '1');
      }
      assert.equal(await usedBy(link), 0);
    });

    test('extend returns the values of companies, each for one request; unknown ids are empty and free', async () => {
      const link = await newLink();
      const properties = ['registrationNumber', 'status', 'postcode', 'address', 'registeredAt', 'vatNumber', 'colour'];
      const query = { ids: [ALPHA, UNKNOWN, 'x', ALPHA], properties: properties.map((id) => ({ id, settings: {} })) };
      const { body, headers } = await post(link.path, { extend: query });
      assert.deepEqual(body.meta[1], { id: 'status', name: 'Status' });
      assert.deepEqual(body.rows[ALPHA], {
        registrationNumber: [{ str: '00000001' }],
        status: [{ str: 'active' }],
        postcode: [{ str: 'EC1A 1AA' }],
        address: [{ str: '1 High Street, LONDON, EC1A 1AA' }],
        registeredAt: [{ date: '2003-02-01T00:00:00Z' }],
        vatNumber: [],
        colour: [],
      });
      assert.deepEqual(Object.keys(body.rows), [ALPHA, UNKNOWN, 'x']);
      assert.deepEqual(body.rows.x.status, []);
      assert.ok(headers.get('x-data-version'));
      assert.equal(await usedBy(link), 1);
      const proposed = (await ask(`${link.path}/propose?type=company&limit=2`)).body;
      assert.deepEqual([proposed.properties.length, proposed.type, proposed.limit], [2, 'company', 2]);
      const all = (await ask(`${PATH}/propose`)).body.properties as { id: string }[];
      const every = await post(link.path, { extend: { ids: [ALPHA], properties: all } });
      assert.equal(every.body.rows[ALPHA].canonicalName[0].str, 'ALPHA HOLDINGS LTD');
    });

    test('suggestions: companies by a part of the name, page by page; properties and types without credentials', async () => {
      const link = await newLink();
      const first = (await ask(`${link.path}/suggest/entity?prefix=beta`)).body.result;
      assert.deepEqual(
        first.map(({ name }: { name: string }) => name),
        ['BETA ONE LTD', 'BETA TWO LTD'],
      );
      assert.deepEqual(first[0].notable, [{ id: 'company', name: 'Company' }]);
      const second = (await ask(`${link.path}/suggest/entity?prefix=beta&limit=1&offset=1`)).body.result;
      assert.deepEqual(second, [first[1]]);
      assert.deepEqual((await ask(`${link.path}/suggest/entity?prefix=beta&cursor=10`)).body.result, []);
      assert.deepEqual((await ask(`${link.path}/fr/suggest/entity?prefix=beta`)).body.result, []);
      assert.equal(await usedBy(link), 4);
      const numbers = (await ask(`${PATH}/suggest/property?prefix=NUMBER`)).body.result as { id: string }[];
      assert.deepEqual(
        numbers.map(({ id }) => id),
        ['registrationNumber', 'vatNumber'],
      );
      assert.deepEqual((await ask(`${PATH}/suggest/type?prefix=comp`)).body.result, [
        { id: 'company', name: 'Company' },
      ]);
      assert.deepEqual((await ask(`${PATH}/suggest/type?prefix=person`)).body.result, []);
      assert.equal((await ask(`${PATH}/suggest/entity?prefix=beta`)).status, 401);
    });

    test('the preview is a page without scripts that any program may frame', async () => {
      const link = await newLink();
      const { status, text, headers } = await ask(`${link.path}/preview?id=${ALPHA}`);
      assert.equal(status, 200);
      assert.match(text, /<h1><bdi>ALPHA HOLDINGS LTD<\/bdi><\/h1>[\s\S]*1 High Street/);
      assert.doesNotMatch(text, /<script|<a |href=/);
      const policy = headers.get('content-security-policy') ?? '';
      assert.match(policy, /^default-src 'none'; style-src 'sha256-[^']+';.*frame-ancestors \*$/);
      assert.equal(headers.get('x-frame-options'), null);
      assert.ok(!text.includes(link.secret));
      assert.equal(await usedBy(link), 1);
      for (const id of [UNKNOWN, 'x', '']) {
        const reply = await ask(`${link.path}/preview?id=${id}`);
        assert.deepEqual([reply.status, reply.headers.get('x-frame-options')], [404, 'DENY']);
      }
      assert.equal(await usedBy(link), 1);
    });

    test('pages of any origin may use every endpoint, and a preflight says so', async () => {
      const link = await newLink();
      const headers = {
        origin: 'https://testbench.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      };
      for (const path of [PATH, link.path, `${PATH}/propose`, `${link.path}/gb`]) {
        const reply = await ask(path, { method: 'OPTIONS', headers });
        assert.equal(reply.status, 204, path);
        assert.match(reply.headers.get('access-control-allow-methods') ?? '', /POST/);
        assert.match(reply.headers.get('access-control-allow-headers') ?? '', /Content-Type/);
      }
      const { headers: read } = await ask(`${link.path}/suggest/entity?prefix=alpha`, { headers });
      assert.match(read.get('access-control-expose-headers') ?? '', /X-Data-Version/);
      assert.equal(read.get('access-control-allow-credentials'), null);
    });
  });
}
