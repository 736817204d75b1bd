import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { usualEngines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { importCompanies } from '../harness/entities.ts';
import { processService, useService } from '../harness/shared-service.ts';
import { until } from '../harness/until.ts';
import { company } from '../registry/gb-file.ts';

const PATH = '/api/v1/monitors';
const codeOf = (body: { error: { code: string } }) => body.error.code;

describeOn(usualEngines, 'monitors over HTTP', (engine) => {
  const service = useService(engine);
  let key: string;
  before(async () => {
    key = await service.createKey();
    await importCompanies(service, [company('00000001', 'ALPHA LTD'), company('00000002', 'BETA LTD')]);
  });

  const send = (
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = { 'x-api-key': key },
  ) => service.client.request(method, path, { headers, json: body });
  const alpha = { countryCode: 'gb', registrationNumber: ' 00000001' };
  const beta = { countryCode: 'GB', registrationNumber: '00000002' };
  const idOf = async (q: string): Promise<string> =>
    (await service.client.get(`/api/v1/entities?q=${encodeURIComponent(q)}`)).body.data[0].id;
  const create = async (given: object, headers?: Readonly<Record<string, string>>) => {
    const { status, body } = await send('POST', PATH, { name: 'Suppliers', ...given }, headers);
    assert.equal(status, 201);
    return body.data as { id: string; cursor: string };
  };
  const readChanges = async (id: string, query = '', headers?: Readonly<Record<string, string>>) =>
    send('GET', `${PATH}/${id}/changes${query}`, undefined, headers);
  let number = 0;
  /** Imports a change of ALPHA and one of BETA, and waits until they are compared with the monitors. */
  const importChanges = async () => {
    number++;
    const rows = [
      company('00000001', `ALPHA ${number} LTD`),
      company('00000002', 'BETA LTD', { 'RegAddress.PostTown': `TOWN ${number}` }),
    ];
    await importCompanies(service, rows);
    await service.services.monitorPass.run();
    const end = (await service.client.get('/api/v1/changes?cursor=now')).body.meta.nextCursor;
    await until('the changes are compared', async () => {
      const pass = await service.services.accountsDb.one<{ cursor: string }>('SELECT cursor FROM monitor_pass');
      return pass?.cursor === end;
    });
  };

  test('a monitor is created, listed, changed and deleted, with an API key and with a session', async () => {
    const session = await service.signIn();
    for (const headers of [{ 'x-api-key': key }, { authorization: `Bearer ${key}` }, session.headers]) {
      const unknown = { countryCode: 'GB', registrationNumber: '99999999' };
      const created = await send(
        'POST',
        PATH,
        { name: ' Suppliers ', entities: [alpha, unknown, await idOf('BETA')] },
        headers,
      );
      assert.equal(created.status, 201);
      const { id } = created.body.data;
      assert.deepEqual(
        { ...created.body.data, id: 0, cursor: 0, createdAt: 0 },
        {
          id: 0,
          name: ' Suppliers ',
          types: ['added', 'changed', 'delisted', 'relisted'],
          fields: null,
          search: null,
          entities: 2,
          problem: null,
          cursor: 0,
          createdAt: 0,
        },
      );
      assert.deepEqual(created.body.meta, { notFound: [unknown] });
      const listed = await send('GET', PATH, undefined, headers);
      assert.deepEqual(listed.body, {
        data: [created.body.data],
        meta: { count: 1, limit: 200, watched: 2, watchedLimit: 100_000 },
      });
      assert.deepEqual((await send('GET', `${PATH}/${id}`, undefined, headers)).body.data, created.body.data);
      const ids = await send('GET', `${PATH}/${id}/entities?limit=1`, undefined, headers);
      assert.equal(ids.body.data[0], ids.body.meta.next);
      const rest = await send('GET', `${PATH}/${id}/entities?after=${ids.body.meta.next}`, undefined, headers);
      assert.deepEqual([...ids.body.data, ...rest.body.data], [await idOf('ALPHA'), await idOf('BETA')].sort());
      assert.equal(rest.body.meta.next, null);
      const updated = await send(
        'PATCH',
        `${PATH}/${id}`,
        { fields: ['status', 'address'], types: ['changed'] },
        headers,
      );
      assert.deepEqual(
        [updated.body.data.name, updated.body.data.fields, updated.body.data.types],
        [' Suppliers ', ['status', 'address'], ['changed']],
      );
      const part = await send(
        'POST',
        `${PATH}/${id}/entities`,
        { add: [alpha, beta], remove: [beta, unknown] },
        headers,
      );
      assert.deepEqual({ ...part.body.meta, cursor: 0 }, { added: 1, removed: 1, notFound: [unknown], cursor: 0 });
      assert.equal((await send('DELETE', `${PATH}/${id}`, undefined, headers)).status, 204);
      for (const [method, path, body] of [
        ['GET', ''],
        ['DELETE', ''],
        ['PATCH', '', {}],
        ['GET', '/changes'],
        ['GET', '/entities'],
        ['POST', '/entities', {}],
      ] as const) {
        const { status, body: error } = await send(method, `${PATH}/${id}${path}`, body, headers);
        assert.deepEqual([status, codeOf(error)], [404, 'monitor_not_found'], `${method} ${path}`);
      }
    }
  });

  test('each change costs one request of the quota, an empty page nothing, and a page is not longer than the rest of it', async () => {
    const free = { 'x-api-key': await service.createKey({ plan: 'free' }) };
    const { id } = await create({ entities: [alpha, beta] }, free);
    await importChanges();
    const page = await readChanges(id, '', free);
    assert.deepEqual([page.body.data.length, page.headers.get('x-monthly-quota-remaining')], [2, '998']);
    const empty = await readChanges(id, `?cursor=${page.body.meta.nextCursor}`, free);
    assert.deepEqual([empty.body.data.length, empty.headers.get('x-monthly-quota-remaining')], [0, '998']);
    const head = await send('HEAD', `${PATH}/${id}/changes`, undefined, free);
    assert.deepEqual([head.status, head.headers.get('x-monthly-quota-remaining')], [200, '998']);
  });

  test('limits of the plan', async () => {
    const free = { 'x-api-key': await service.createKey({ plan: 'free' }) };
    const { id } = await create({}, free);
    await create({}, free);
    const third = await send('POST', PATH, { name: 'third' }, free);
    assert.deepEqual([third.status, codeOf(third.body)], [409, 'monitor_limit_reached']);
    assert.match(third.body.error.message, /Your plan allows 2 monitors: delete one first, or upgrade\./);
    await service.services.accountsDb.run('UPDATE monitors SET entities = 99 WHERE id = $1', [id]);
    const many = await send('POST', `${PATH}/${id}/entities`, { add: [alpha, beta] }, free);
    assert.deepEqual([many.status, codeOf(many.body)], [409, 'monitor_limit_reached']);
    assert.match(many.body.error.message, /100 watched companies, 1 more/);
    assert.deepEqual((await send('GET', `${PATH}/${id}/entities`, undefined, free)).body.data, []);
  });

  test('PATCH changes name, search and what counts from the cursor on that it names', async () => {
    const { id, cursor: start } = await create({ search: { q: 'ALPHA', country: 'gb' } });
    await importChanges();
    const patch = async (body: object) => {
      let reply = await send('PATCH', `${PATH}/${id}`, body);
      await until('the import is compared', async () => {
        if (reply.status !== 503) return true;
        assert.equal(reply.headers.get('retry-after'), '1');
        reply = await send('PATCH', `${PATH}/${id}`, body);
        return false;
      });
      return reply;
    };
    const { status, body } = await patch({ name: 'Beta', search: { q: 'BETA' }, types: ['changed'] });
    assert.equal(status, 200);
    const { data, meta } = body;
    assert.deepEqual([data.name, data.search, data.types, data.entities], ['Beta', { q: 'BETA' }, ['changed'], 1]);
    assert.deepEqual([data.cursor, meta.added, meta.removed], [start, 1, 1]);
    assert.deepEqual((await send('GET', `${PATH}/${id}/entities`)).body.data, [await idOf('BETA')]);
    const before = (await readChanges(id)).body.data;
    assert.deepEqual(
      before.map(({ after }: { after: { canonicalName: string } }) => after.canonicalName),
      [`ALPHA ${number} LTD`],
    );
    await importChanges();
    const later = (await readChanges(id, `?cursor=${meta.cursor}`)).body.data;
    assert.deepEqual(
      later.map(({ after }: { after: { canonicalName: string } }) => after.canonicalName),
      ['BETA LTD'],
    );
    const renamed = await send('PATCH', `${PATH}/${id}`, { name: 'New' });
    assert.deepEqual([renamed.body.meta.added, renamed.body.meta.removed], [null, null]);
    const broad = await service.createKey({ plan: 'free' });
    const own = await create({ search: { q: 'ALPHA' } }, { 'x-api-key': broad });
    await service.services.accountsDb.run('UPDATE monitors SET entities = 100 WHERE id = $1', [own.id]);
    const refused = await send('PATCH', `${PATH}/${own.id}`, { search: { country: 'GB' } }, { 'x-api-key': broad });
    assert.deepEqual([refused.status, codeOf(refused.body)], [409, 'monitor_limit_reached']);
  });
});

const entity = { countryCode: 'GB', registrationNumber: '1' };
const url = 'https://example.com/';
const NONE = '00000000-0000-4000-8000-000000000000';

/** Bodies and ids that are refused, and what the message says. `:m` and `:w` are a monitor and a webhook endpoint of the account. */
const REFUSED: readonly (readonly [request: string, body: unknown, status: number, text: RegExp])[] = [
  ['POST webhook-endpoints', { url, description: 'a\u0000b' }, 400, /description/],
  ['GET webhook-endpoints/:w/deliveries?before=%00', undefined, 400, /"before" must be the "id"/],
  ['GET webhook-endpoints/:w/deliveries?before=msg_1', undefined, 400, /There is no such delivery/],
  ['POST webhook-endpoints/:w/replay?cursor=%00', undefined, 400, /use a cursor of an earlier response/],
  ['POST webhook-endpoints', { url: 'https://127.0.0.1/' }, 400, /private|reserved|internet/],
  ['PATCH webhook-endpoints/:w', { url: 'https://10.0.0.1/' }, 400, /private|reserved|internet/],
  ['PATCH webhook-endpoints/:w', { enabled: 'yes' }, 400, /"enabled"/],
  ['POST webhook-endpoints', { url, monitorIds: [] }, 400, /1 to 200 ids of monitors/],
  ['POST webhook-endpoints', { url, monitorIds: [NONE] }, 400, /monitor/],
  ['GET webhook-endpoints/:w/deliveries?state=lost', undefined, 400, /"state"/],
  [`GET webhook-endpoints/${NONE}`, undefined, 404, /webhook endpoint/],
  ['GET webhook-endpoints/x', undefined, 400, /use the "id" of a webhook endpoint/],
  ['POST webhook-endpoints', { url, monitorIds: Array.from({ length: 201 }, String) }, 400, /1 to 200 ids of monitors/],
  ['POST monitors', {}, 400, /"name" is required/],
  ['POST monitors', { name: 'x', types: ['eaten'] }, 400, /"types" must be a list of different types/],
  ['POST monitors', { name: 'x', fields: [] }, 400, /"fields" must be null or a list/],
  ['POST monitors', { name: 'x', entities: ['no'] }, 400, /"entities" must be a list of up to 1000 companies/],
  ['POST monitors', { name: 'x', entitys: [] }, 400, /did you mean "entities"/],
  ['POST monitors', { name: 'a\u0000b' }, 400, /name/i],
  ['POST monitors', { name: 'x', search: { q: '\u0000' } }, 400, /"search.q" must not contain the character U\+0000/],
  ['GET monitors/x', undefined, 400, /use the "id" of a monitor/],
  ['POST monitors', { name: 'x', entities: Array(1_001).fill(entity) }, 400, /a list of up to 1000 companies/],
  ['POST monitors/:m/entities', { add: ['x'.repeat(600_000)] }, 413, /shorten it/],
  [
    'POST monitors',
    '['.repeat(100_000),
    400,
    /^The body is too complex: send at most 10000 values in at most 16 levels\.$/,
  ],
  ['PATCH monitors/:m', { search: { sort: 'name' } }, 400, /^Unknown field "search.sort": use q, words, country/],
  ['PATCH monitors/:m', { search: null }, 400, /"search" must be an object with the parameters of a search/],
  ['PATCH monitors/:m', { search: { q: 'x' } }, 400, /is a list of companies/],
  ['PATCH monitors/:m', { entities: [] }, 400, /Unknown field "entities"/],
  [
    'POST monitors',
    { name: 'x', entities: [], search: { q: 'x' } },
    400,
    /either "entities" or "search": send one of them/,
  ],
];

for (const engine of usualEngines) {
  test(`refused requests about monitors and webhooks say what to do, on ${engine}`, async () => {
    const service = await processService(engine);
    const key = await service.createKey();
    const send = async (request: string, body: unknown) => {
      const [method = '', path] = request.split(' ');
      const headers = { 'x-api-key': key };
      // Text is no JSON.
      const written = { headers: { ...headers, 'content-type': 'application/json' }, body: String(body) };
      const options = typeof body === 'string' ? written : { headers, json: body };
      return service.client.request(method, `/api/v1/${path}`, options);
    };
    const monitor = (await send('POST monitors', { name: 'x' })).body.data.id;
    const endpoint = (await send('POST webhook-endpoints', { url, description: '<script>😀 =1+1' })).body.data.id;
    for (const [request, body, status, message] of REFUSED) {
      const reply = await send(request.replace(':m', monitor).replace(':w', endpoint), body);
      assert.equal(reply.status, status, request);
      assert.deepEqual(Object.keys(reply.body.error), ['code', 'message', 'requestId', 'docs']);
      assert.match(reply.body.error.message, message);
    }
  });
}
