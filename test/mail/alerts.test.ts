import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usualEngines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { importCompanies } from '../harness/entities.ts';
import { startService, type TestService } from '../harness/service.ts';
import { company } from '../registry/gb-file.ts';
import { PASSWORD, startMailServer } from './mail-server.ts';

const FROM = 'Firmament <alerts@example.com>';
const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
const OWN = 'anna@example.com';

/** An account with a monitor of one company, and what its owner and the readers of its e-mails do. */
async function openWorld(service: TestService) {
  const { mailAlerts, monitorPass, monitors } = service.services;
  await importCompanies(service, [company('00000001', 'ALPHA LTD')]);
  const session = await service.signIn({ email: OWN });
  const watch = await service.services.registry.findIds([{ countryCode: 'GB', registrationNumber: '00000001' }]);
  const { id } = await monitors.create(session.account, { name: 'Mine “1”', watch: watch as string[] });
  const page = `/dashboard/monitors/${id}`;
  const send = async (
    path: string,
    form: Record<string, string>,
    headers: Record<string, string> = session.headers,
  ) => {
    const init = { method: 'POST', redirect: 'manual', headers, body: new URLSearchParams(form) } as const;
    const reply = await fetch(service.url + path, init);
    return { status: reply.status, text: await reply.text() };
  };
  const read = async (path: string, headers: Record<string, string> = {}) =>
    (await fetch(service.url + path, { headers })).text();
  return {
    session,
    page,
    send,
    read,
    show: () => read(page, session.headers),
    add: (address: string, rhythm: string) => send(`${page}/alerts`, { address, rhythm }),
    async rename(name: string) {
      await importCompanies(service, [company('00000001', name)]);
      await monitorPass.run();
      await mailAlerts.step();
    },
    async pass(ms: number) {
      service.clock.advance(ms);
      await mailAlerts.step();
    },
  };
}

const linkOf = (text: string) => new URL(/https?:\S*\/alerts\/[\w-]+/.exec(text)?.[0] ?? '').pathname;

describeOn(usualEngines, 'e-mail alerts', (engine) => {
  test('your own address gets changes soon, in one e-mail per five minutes, until it stops them by one click', async () => {
    await using server = await startMailServer();
    await using service = await startService(engine, { env: { SMTP_URL: server.url, MAIL_FROM: FROM } });
    const world = await openWorld(service);
    assert.match(await world.show(), /name="address"[^>]* value="anna@example\.com"/);
    assert.equal((await world.add(` ${OWN} `, 'immediate')).status, 303);
    assert.match(await world.show(), /anna@example\.com<\/bdi>: immediate, active/);
    await world.pass(0);
    assert.equal(server.mails.length, 0, 'there is nothing to report');
    await world.rename('ALPHA\u202e “TWO” LTD');
    const { to, text } = await server.waitFor(1);
    assert.deepEqual(to, [OWN]);
    assert.match(text, /^From: Firmament <alerts@example\.com>$/m);
    assert.match(
      text,
      /1 change in “Mine “1””:\s+ALPHA “TWO” LTD: changed\s+Name: ALPHA LTD → ALPHA “TWO” LTD\s+http\S*\/entities\/[0-9a-f-]{36}\s/,
    );
    assert.match(text, /^List-Unsubscribe: <http\S*\/alerts\/[\w-]{43}>$/m);
    assert.match(text, /^List-Unsubscribe-Post: List-Unsubscribe=One-Click$/m);
    await world.rename('ALPHA THREE LTD');
    await world.rename('ALPHA FOUR LTD');
    assert.equal(server.mails.length, 1);
    await world.pass(5 * MINUTE);
    assert.match((await server.waitFor(2)).text, /2 changes in[\s\S]*THREE[\s\S]*FOUR/);
    const link = linkOf(text);
    assert.match(await world.read(link), /You get these e-mails[\s\S]*Stop these e-mails/);
    await world.rename('ALPHA FIVE LTD');
    await world.pass(5 * MINUTE);
    await server.waitFor(3);
    assert.equal((await world.send(link, { 'List-Unsubscribe': 'One-Click' }, {})).status, 200);
    await world.rename('ALPHA SIX LTD');
    await world.pass(DAY);
    assert.equal(server.mails.length, 3);
    assert.match(await world.show(), /anna@example\.com<\/bdi>: immediate, stopped by its reader/);
    const lines = service.logLines.join('\n');
    for (const secret of [OWN, PASSWORD, link]) assert.ok(!lines.includes(secret), `the log has ${secret}`);
  });

  test('another address gets one e-mail to confirm, and daily ones at 06:00 once its reader has agreed', async () => {
    await using server = await startMailServer();
    await using service = await startService(engine, { env: { SMTP_URL: server.url, MAIL_FROM: FROM } });
    const world = await openWorld(service);
    for (const address of ['', 'x', 'a@b', 'a@b.c, d@e.f', 'a\r\nBcc: b@c.de', `a@${'b'.repeat(250)}.com`]) {
      assert.match((await world.add(address, 'daily')).text, /id="address"[^>]* aria-invalid="true"/, address);
    }
    await world.add('Bob@Example.com', 'immediate');
    await world.add('bob@example.com', 'daily');
    await world.pass(0);
    const { to, text } = await server.waitFor(1);
    assert.deepEqual(to, ['Bob@example.com']);
    assert.match(text, /Somebody entered this address[\s\S]*once a day/);
    await world.rename('ALPHA TWO LTD');
    const link = linkOf(text);
    assert.match(await world.read(link), /Do you want these e-mails\?[\s\S]*Confirm/);
    await world.pass(2 * DAY);
    assert.equal(server.mails.length, 1, 'opening the page confirms it');
    assert.match((await world.send(link, { action: 'confirm' }, {})).text, /You get these e-mails/);
    const day = Math.floor(service.clock.now() / DAY) * DAY;
    await world.pass(day + DAY + HOUR - service.clock.now());
    await world.rename('ALPHA THREE LTD');
    const before = server.mails.length;
    await world.pass(4 * HOUR);
    assert.equal(server.mails.length, before, 'before 06:00');
    await world.pass(HOUR);
    const daily = (await server.waitFor(before + 1)).text;
    assert.match(daily, /1 change in[\s\S]*ALPHA TWO LTD → ALPHA THREE LTD/);
    assert.doesNotMatch(daily, /ALPHA LTD/, 'what changed before the reader agreed');
    await world.rename('ALPHA FOUR LTD');
    assert.equal(server.mails.length, before + 1);
    const [, id = ''] = /name="id" value="([^"]*)"/.exec(await world.show()) ?? [];
    assert.equal((await world.send(`${world.page}/alerts`, { action: 'remove', id })).status, 303);
    assert.doesNotMatch(await world.show(), /Bob@/);
    assert.match(await world.read(link), /These e-mails have ended/);
    await world.pass(DAY);
    assert.equal(server.mails.length, before + 1);
    service.clock.advance(DAY);
    await service.services.mailAlerts.prune();
    assert.deepEqual(await service.services.accountsDb.all('SELECT id FROM monitor_alerts'), []);
  });

  test('an address that the mail server refuses is given up, and what a server that is down missed is sent later', async () => {
    const server = await startMailServer();
    await using service = await startService(engine, { env: { SMTP_URL: server.url, MAIL_FROM: FROM } });
    const world = await openWorld(service);
    server.unknown.add(OWN);
    await world.add(OWN, 'immediate');
    await world.rename('ALPHA TWO LTD');
    for (let hours = 1; hours < 5; hours++) await world.pass(HOUR);
    assert.match(await world.show(), /immediate, refused by its mail server/);
    server.unknown.clear();
    await world.add(OWN, 'immediate');
    await server[Symbol.asyncDispose]();
    await world.rename('ALPHA THREE LTD');
    assert.match(await world.show(), /immediate, active/);
    const lines = service.logLines.join('\n');
    assert.match(lines, /e-mails cannot be sent: check SMTP_URL and MAIL_FROM/);
    assert.ok(!lines.includes(OWN) && !lines.includes(PASSWORD));
    for (const n of [2, 3, 4, 5]) await world.add(`reader${n}@example.com`, 'daily');
    assert.match((await world.add('reader6@example.com', 'daily')).text, /at most 5 addresses/);
  });
});

test('nothing is offered or sent without a mail server', async () => {
  await using service = await startService('sqlite');
  const world = await openWorld(service);
  assert.doesNotMatch(await world.show(), /E-mail|SMTP_URL/);
  assert.equal(service.services.mailAlerts.isOn, false);
});
