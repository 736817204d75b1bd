import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { monitorTypes } from '../../src/watch/monitors/monitor.ts';
import { importCompanies } from '../harness/entities.ts';
import { startService, type TestSession } from '../harness/service.ts';
import { useService } from '../harness/shared-service.ts';
import { until } from '../harness/until.ts';
import { company } from '../registry/gb-file.ts';
import { answer, ok, startReceiver } from '../webhooks/receiver.ts';

/** What the form sends if nothing is changed in it. */
const ANY = Object.fromEntries(monitorTypes.map((type) => [`type:${type}`, 'yes']));
const ALPHA = '8cfb7733-0cb1-511b-8310-bbbf2455fb10';

describe('the pages of monitors', () => {
  const service = useService('sqlite');
  let session: TestSession;
  let name = 0;
  before(async () => {
    session = await service.signIn();
    await importCompanies(service, [company('00000001', 'ALPHA LTD'), company('00000002', 'BETA <b>LTD')]);
  });

  const get = (path: string, headers: Record<string, string> = session.headers) =>
    fetch(service.url + path, { headers, redirect: 'manual' });
  const post = (path: string, form: Record<string, string> = {}) =>
    fetch(service.url + path, {
      method: 'POST',
      redirect: 'manual',
      headers: { ...session.headers, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form),
    });
  const create = async (form: Record<string, string>) => {
    const reply = await post('/dashboard/monitors', { name: 'Mine', ...ANY, ...form });
    assert.equal(reply.status, 303, await reply.text());
    return reply.headers.get('location') ?? '';
  };
  const changeAlpha = () => importCompanies(service, [company('00000001', `ALPHA ${++name} <i>LTD`)]);
  const untilShown = (path: string, text: string) =>
    until(`${path} shows ${text}`, async () => (await (await get(path)).text()).includes(text));

  test('a pasted list becomes a monitor, and its page shows what changes', async () => {
    const page = await create({ list: 'country,number\r\nGB,00000001\r\n\r\ngb;00000002\n' });
    assert.match(await (await get('/dashboard/monitors')).text(), /Mine<\/bdi><\/a>:\s+2 companies/);
    assert.match(await (await get(page)).text(), /No changes yet/);
    await changeAlpha();
    await untilShown(page, `ALPHA ${name} &lt;i&gt;LTD`);
    const asked = await (await get(`${page}/delete`)).text();
    assert.match(asked, /Delete monitor “<bdi>Mine<\/bdi>”\?/);
    assert.ok(asked.includes(`<form method="post" action="${page}/delete"`));
    assert.equal((await get(page)).status, 200, 'asking deletes it');
    assert.equal((await post(`${page}/delete`)).headers.get('location'), '/dashboard/monitors');
    assert.equal((await get(page)).status, 404);
  });

  test('lines that no company is found for and lines that cannot be read are all listed, and the others are taken', async () => {
    const reply = await post('/dashboard/monitors', { name: 'Some', ...ANY, list: `${ALPHA}\nNO 923609016` });
    assert.equal(reply.status, 200);
    const text = await reply.text();
    assert.match(text, /1 company not found/);
    assert.match(text, /NO,923609016/);
    const partly = await post('/dashboard/monitors', { name: 'Some', ...ANY, list: `<b>\n${ALPHA}\nwhat` });
    assert.match(
      await partly.text(),
      /1 company\.[\s\S]*2 lines could not be read[\s\S]*line 1: &lt;b&gt;[\s\S]*line 3: what/,
    );
    const refused = await post('/dashboard/monitors', { name: 'Some', ...ANY, list: 'GB1\n<script>' });
    assert.equal(refused.status, 400);
    assert.match(
      await refused.text(),
      /<textarea id="list"[^>]* aria-describedby="list-problem list-hint" aria-invalid="true" autofocus[^>]*>GB1\s&lt;script&gt;<[\s\S]*id="list-problem">[\s\S]*line 1: GB1\s+line 2: &lt;script&gt;</,
    );
    for (const form of [{}, { list: 'GB,1', search: 'q=x' }]) {
      assert.match(await (await post('/dashboard/monitors', { name: 'x', ...form })).text(), /Fill in either/);
    }
  });

  test('the address of a search becomes a monitor', async () => {
    const page = await create({ search: '/explore?q=alpha&country=gb&status=&page=2' });
    assert.match(
      await (await get(page)).text(),
      /1 company matching <a href="\/explore\?q=alpha&amp;country=gb"><bdi>“alpha” · United Kingdom</,
    );
    const refused = await post('/dashboard/monitors', { name: 'x', ...ANY, search: 'status=eaten' });
    assert.match(await refused.text(), /id="search"[^>]* aria-invalid="true"[^>]* value="status=eaten"/);
  });

  test('Watch this search makes a monitor that is named after the search, once', async () => {
    const results = await (await get('/explore?q=beta&country=GB')).text();
    const [, search = ''] =
      /action="\/dashboard\/monitors\/watch"[\s\S]*?name="search" value="([^"]*)"/.exec(results) ?? [];
    assert.equal(search, 'q=beta&amp;country=GB');
    const watch = (given: string) => post('/dashboard/monitors/watch', { search: given });
    const page = (await watch('q=beta&country=GB')).headers.get('location') ?? '';
    assert.match(await (await get(page)).text(), /<h1><bdi>“beta” · United Kingdom<[\s\S]*1 company matching/);
    assert.equal((await watch('q=beta&country=GB&page=2')).headers.get('location'), page);
    const refused = await watch('status=eaten');
    assert.deepEqual([refused.status, (await refused.text()).includes('value="status=eaten"')], [400, true]);
  });

  test('CSV with a heading is read by its columns, and a list that is too long or has no kind of change is refused', async () => {
    const csv = `Name;"Registration number";Country\n"A; B";"00000001";GB\n=HYPERLINK("x");00000002;gb\n`;
    assert.match(await (await get(await create({ list: csv }))).text(), /2 companies\./);
    const exported = `id,countryCode,canonicalName\n${ALPHA},GB,"ALPHA, ""LTD"""\n`;
    assert.match(await (await get(await create({ list: exported }))).text(), /1 company\./);
    const long = await post('/dashboard/monitors', { name: 'x', ...ANY, list: 'GB,1\n'.repeat(10_001) });
    assert.match(await long.text(), /The list has more than 10000 companies/);
    const none = await post('/dashboard/monitors', { name: 'x', list: 'GB,1' });
    assert.match(await none.text(), /Choose at least one kind of change/);
    assert.equal((await post('/dashboard/monitors', { name: 'x', list: 'x'.repeat(1_100_000) })).status, 413);
  });

  test('the page of a monitor shows its companies, adds and removes some, and changes name, search and what counts', async () => {
    const page = await create({ list: 'GB,00000001' });
    const added = await post(`${page}/companies`, { list: 'GB,00000002\nGB,9', action: 'add' });
    assert.match(await added.text(), /1 company added\.[\s\S]*1 company not found/);
    const companies = await (await get(`${page}/companies`)).text();
    assert.match(companies, /BETA &lt;b&gt;LTD/);
    assert.match(companies, new RegExp(`href="/entities/${ALPHA}"`));
    const removed = await post(`${page}/companies`, { list: 'GB,00000002', action: 'remove' });
    assert.equal(removed.status, 303);
    assert.match(await (await get(page)).text(), /1 company\. Since/);
    assert.match(await (await post(`${page}/companies`, { list: 'what', action: 'add' })).text(), /line 1: what/);
    assert.equal((await post(page, { name: 'New "name"', 'type:changed': 'yes', 'field:status': 'yes' })).status, 303);
    assert.match(
      await (await get(page)).text(),
      /<h1><bdi>New &quot;name&quot;[\s\S]*Reports changed\s+\(only status\)/,
    );
    const refused = await post(page, { name: 'x', ...ANY, search: 'q=alpha' });
    assert.equal(refused.status, 400);
    assert.match(await refused.text(), /This monitor is a list of companies/);
    const search = await create({ search: 'q=alpha' });
    await until('the search is changed', async () => {
      return (await post(search, { name: 'Beta', ...ANY, search: 'q=beta' })).status === 303;
    });
    assert.match(await (await get(search)).text(), /1 company matching <a [^>]*><bdi>“beta”</);
    assert.match(await (await get(`${search}/companies`)).text(), /BETA &lt;b&gt;LTD/);
  });

  test('a monitor that has stopped says so, and continues with a narrower search', async () => {
    const page = await create({ search: 'q=alpha' });
    const id = page.slice(page.lastIndexOf('/') + 1);
    await service.services.accountsDb.run(`UPDATE monitors SET problem = 'too_many_companies' WHERE id = $1`, [id]);
    assert.match(await (await get(page)).text(), /This monitor has stopped/);
    await until('the search is changed', async () => {
      return (await post(page, { name: 'Alpha', ...ANY, search: 'q=alpha&country=GB' })).status === 303;
    });
    assert.doesNotMatch(await (await get(page)).text(), /has stopped/);
  });

  test('Watch this company adds to one list', async () => {
    assert.match(
      await (await get(`/entities/${ALPHA}`)).text(),
      /<button class="quiet" form="watch">Watch this company/,
    );
    const first = await post('/dashboard/monitors/watch', { entity: ALPHA });
    const again = await post('/dashboard/monitors/watch', { entity: ALPHA });
    assert.deepEqual([first.status, again.headers.get('location')], [303, first.headers.get('location')]);
    assert.match(await (await get(first.headers.get('location') ?? '')).text(), /Watched companies[\s\S]*1 company\./);
    assert.equal((await post('/dashboard/monitors/watch', { entity: 'x' })).status, 404);
    assert.equal((await get('/dashboard/monitors', {})).status, 303);
  });

  test('an Atom feed has a secret address that can be renewed, and that no log shows', async () => {
    const page = await create({ list: ALPHA });
    const renew = async () => {
      const text = await (await post(`${page}/feed`)).text();
      return new URL(/http:[^<]*\/feeds\/[\w-]+/.exec(text)?.[0] ?? '').pathname;
    };
    const first = await renew();
    const empty = await get(first, {});
    assert.match(empty.headers.get('content-type') ?? '', /^application\/atom\+xml/);
    await changeAlpha();
    await untilShown(page, `ALPHA ${name} `);
    const feed = await get(first, {});
    const text = await feed.text();
    assert.match(text, /^<\?xml version="1.0" encoding="utf-8"\?>\n<feed xmlns="http:\/\/www.w3.org\/2005\/Atom">/);
    assert.match(text, new RegExp(`<title>ALPHA ${name} &lt;i&gt;LTD: changed</title>`));
    const etag = feed.headers.get('etag') ?? '';
    const used = async () => (await service.services.meter.readUsage(session.account)).used;
    const before = await used();
    assert.equal((await get(first, { 'if-none-match': etag })).status, 304);
    assert.equal(await used(), before);
    await get(first, {});
    assert.equal(await used(), before + 1);
    const removed = await post(`${page}/feed`, { action: 'remove' });
    assert.deepEqual([removed.status, (await get(first, {})).status], [303, 404]);
    const second = await renew();
    assert.deepEqual([(await get(first, {})).status, (await get(second, {})).status], [404, 200]);
    assert.ok(service.logLines.some((line) => line.includes('/feeds/:feed')));
    for (const secret of [first, second]) {
      const shown = service.logLines.filter((line) => line.includes(secret.slice('/feeds/'.length)));
      assert.deepEqual(shown, []);
    }
  });

  test('without quota a monitor does not show its changes, but can be changed, and its new feed address is shown', async () => {
    const page = await create({ list: ALPHA });
    await changeAlpha();
    await untilShown(page, `ALPHA ${name} `);
    const { meter } = service.services;
    const { used } = await meter.readUsage(session.account);
    await meter.takeUnits({ ...session.account, keyId: 'other' }, session.account.plan.monthlyRequests - used);
    const reply = await get(page);
    const text = await reply.text();
    assert.equal(reply.status, 429);
    assert.ok(!text.includes(`ALPHA ${name} `));
    assert.match(text, /Quota used up[\s\S]*Delete monitor/);
    assert.match(await (await post(`${page}/feed`)).text(), /Feed address[\s\S]*\/feeds\/[\w-]+/);
  });
});

const PATH = '/dashboard/webhooks';

test('the pages create an endpoint, show deliveries with reasons, and send, rotate, disable, enable and delete', async () => {
  await using receiver = await startReceiver(answer(500, {}, '<b>broken</b>'));
  await using service = await startService('sqlite', {
    webhooks: { rules: { ports: [443], allowsLoopback: true } },
  });
  const session = await service.signIn({ plan: 'free' });
  const send = async (path: string, form?: Record<string, string>) => {
    const headers = { ...session.headers, ...(form && { 'content-type': 'application/x-www-form-urlencoded' }) };
    const init = form ? { method: 'POST', headers, body: String(new URLSearchParams(form)) } : { headers };
    const reply = await fetch(service.url + path, { ...init, redirect: 'manual' });
    return { status: reply.status, text: await reply.text(), location: reply.headers.get('location') };
  };
  assert.match((await send(PATH)).text, /0 of 1 in use/);
  const refused = await send(PATH, { url: 'https://10.0.0.1/' });
  assert.equal(refused.status, 400);
  assert.match(
    refused.text,
    /id="url"[^>]* aria-describedby="url-problem" aria-invalid="true" autofocus[^>]*>\s*<p class="problem" id="url-problem">[^<]*private or reserved address/,
  );
  const created = await send(PATH, { url: receiver.url });
  assert.equal(created.status, 200);
  const [secret] = /whsec_[A-Za-z0-9+/]{43}=/.exec(created.text) ?? [];
  assert.ok(secret !== undefined);
  assert.equal((await send(PATH, { url: receiver.url })).status, 409);
  const list = await send(PATH);
  assert.ok(!list.text.includes(secret), 'the secret is shown once');
  const [, id = ''] = /\/dashboard\/webhooks\/([0-9a-f-]{36})/.exec(list.text) ?? [];
  const page = `${PATH}/${id}`;
  assert.match((await send(page)).text, /Nothing was sent yet/);
  const monitor = await service.services.monitors.create(session.account, { name: '<b>mine', watch: [] });
  const other = await service.services.monitors.create(session.account, { name: 'other', watch: [] });
  const chosen = { action: 'save', url: receiver.url, description: '<i>it', monitors: 'some' };
  assert.equal((await send(page, { ...chosen, [`monitor:${monitor.id}`]: 'yes' })).status, 303);
  assert.match(
    (await send(page)).text,
    /<bdi>&lt;i&gt;it<\/bdi>[\s\S]*Gets the events of <a [^>]*><bdi>&lt;b&gt;mine<\/bdi><\/a>\./,
  );
  assert.match((await send(`/dashboard/monitors/${monitor.id}`)).text, new RegExp(`href="${page}"`));
  assert.match((await send(`/dashboard/monitors/${other.id}`)).text, /No endpoint gets its events/);
  assert.match((await send(page, chosen)).text, /<details open>[\s\S]*aria-invalid[\s\S]*Choose at least one monitor/);
  const unknown = { [`monitor:${'0'.repeat(8)}-0000-4000-8000-${'0'.repeat(12)}`]: 'yes' };
  assert.match((await send(page, { ...chosen, ...unknown })).text, /not a monitor of this account/);
  assert.equal((await send(page, { ...chosen, monitors: 'all' })).status, 303);
  assert.match((await send(page)).text, /Gets the events of all monitors/);
  assert.doesNotMatch(list.text, /This demo has a receiver/);

  const tested = (await send(page, { action: 'test' })).location ?? '';
  assert.ok(tested.startsWith(`${page}/deliveries/msg_test_`));
  await until('the attempt is shown with what was sent', async () => {
    return /500<\/td>[\s\S]*\d ms[\s\S]*&lt;b&gt;broken[\s\S]*webhook\.test/.test((await send(tested)).text);
  });
  assert.equal((await send(`${page}/deliveries/msg_test_0`)).status, 404);
  await until('the failure is shown', async () => (await send(page)).text.includes('500<br>'));
  assert.match((await send(page)).text, /&lt;b&gt;broken&lt;\/b&gt;/);
  receiver.behave = answer(410);
  assert.equal((await send(page, { action: 'test' })).status, 303);
  await until('it is disabled', async () => /410 Gone/.test((await send(page)).text));
  assert.match((await send('/dashboard')).text, /A webhook endpoint is disabled/);
  assert.doesNotMatch((await send(page)).text, /value="test"/);
  assert.match((await send(page, { action: 'test' })).text, /The webhook endpoint is disabled: enable it first/);
  receiver.behave = ok;
  assert.equal((await send(page, { action: 'enable' })).status, 303);
  for (let count = 3; count <= 5; count++) assert.equal((await send(page, { action: 'test' })).status, 303);
  assert.match((await send(page, { action: 'test' })).text, /at most 5 tests per minute/);
  await until('it is delivered', async () => /badge good">delivered/.test((await send(page)).text));
  const rotated = await send(page, { action: 'rotate' });
  assert.match(rotated.text, /whsec_/);
  assert.match(rotated.text, /previous secret also signs until/);
  assert.match((await send(`${page}?state=delivered`)).text, /badge good">delivered/);
  assert.match((await send(`${page}?state=failed`)).text, /badge warn">failed/);
  assert.equal((await send(page, { action: 'replay' })).status, 303);
  assert.match((await send(page, { action: 'replay', cursor: '"><x' })).text, /cursor&quot; is not valid/);
  assert.equal((await send(page, { action: 'disable' })).status, 303);
  assert.match((await send(page)).text, /You disabled it/);
  assert.ok(!(await send('/dashboard')).text.includes('A webhook endpoint is disabled'));
  assert.equal((await send(page, { action: 'x' })).status, 400);
  assert.ok((await send(page)).text.includes(`href="${page}/delete"`));
  const asked = (await send(`${page}/delete`)).text;
  assert.match(asked, /Delete endpoint “<bdi>http:\/\/127\.0\.0\.1:\d+\/[^<]*<\/bdi>”\?/);
  assert.match(asked, new RegExp(`action="${page}"[^]*name="action" value="delete"`));
  assert.equal((await send(page)).status, 200, 'asking deletes it');
  assert.deepEqual((await send(page, { action: 'delete' })).location, PATH);
  assert.equal((await send(page)).status, 404);
  assert.equal((await fetch(service.url + PATH, { redirect: 'manual' })).status, 303);
});
