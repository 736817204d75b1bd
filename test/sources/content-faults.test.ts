import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { before, describe, test } from 'node:test';
import { ZipFile } from 'yazl';
import { makeFile, useFetching } from './fetching.ts';
import { type Answer, usePublisher } from './publisher.ts';

async function zip(name: string, content: Buffer): Promise<Buffer> {
  const archive = new ZipFile();
  archive.addBuffer(content, name);
  archive.end();
  return buffer(archive.outputStream);
}

const page = Buffer.from(
  '<!DOCTYPE html><html><body><form action="/login"><input type="password"></form></body></html>',
);

describe('a download that is not the file', () => {
  const publisher = usePublisher();
  let good: Buffer;
  before(async () => {
    good = await makeFile(200);
  });

  /** Fetches a good file first, then this one, and checks that nothing but the good one counts. */
  async function expectRefused(answer: Answer | Buffer, reason: RegExp, name = 'register.csv'): Promise<void> {
    const { fetch, folder, state, clock } = useFetching();
    const addresses = [`${publisher.url}/${name}`];
    publisher.offer(`/${name}`, { body: good });
    assert.equal((await fetch({ addresses })).outcome, 'new');
    const { snapshots } = await state();
    publisher.offer(`/${name}`, typeof answer === 'function' ? answer : { body: answer });
    clock.advance(86_400_000);
    const refused = await fetch({ addresses });
    assert.equal(refused.outcome, 'failed');
    assert.match(refused.message ?? '', reason);
    assert.match(refused.message ?? '', /It was moved to .*quarantine.* and is not used: compare it with https:/);
    assert.deepEqual((await state()).snapshots, snapshots);
    const aside = join(folder, 'lv', 'quarantine');
    const [run = ''] = readdirSync(aside);
    assert.deepEqual(readdirSync(join(aside, run)).sort(), ['reason.txt', name].sort());
    assert.match(readFileSync(join(aside, run, 'reason.txt'), 'utf8'), new RegExp(reason.source.replace('^', ''), 'i'));

    // The publisher repairs it, and nothing of the refused file is left in the way.
    publisher.offer(`/${name}`, { body: await makeFile(200, 9) });
    const repaired = await fetch({ addresses });
    assert.deepEqual([repaired.outcome, repaired.message], ['new', null]);
    assert.ok(existsSync(repaired.files[0]?.path ?? ''));
  }

  test('but a web page', () => expectRefused(page, /^Register\.csv is not a file .*: it is an HTML page/));

  test('but empty', () => expectRefused(Buffer.alloc(0), /is empty/));

  test('but an archive with a wrong checksum', async () => {
    const damaged = Buffer.from(await zip('register.csv', good));
    const middle = Math.floor(damaged.length / 2);
    damaged[middle] = (damaged[middle] ?? 0) ^ 255;
    await expectRefused(damaged, /is truncated or damaged/, 'register.zip');
  });

  test('but a zip bomb', async () => {
    const bomb = await zip('register.csv', Buffer.alloc(90 * 1_048_576, 'a'));
    await expectRefused(bomb, /unpacks to more than .* bytes/, 'register.zip');
  });

  test('but has another header', () =>
    expectRefused(Buffer.from(good.toString('utf8').replace('regcode', 'reg_code')), /regcode/));

  test('but the file of another register', () => expectRefused(Buffer.from('{"lei":1}'), /JSON document/));

  test('but less than half as large as the last one', async () => {
    const part = good.subarray(0, good.lastIndexOf('\n', good.length * 0.45) + 1);
    await expectRefused(part, /^The download has [\d,]+ bytes, less than half of the [\d,]+ bytes fetched before/);
  });

  test('costs only itself: the other files of the publication are not downloaded again', async () => {
    const { fetch } = useFetching();
    publisher.offer('/one.csv', { body: good });
    publisher.offer('/two.csv', { body: page });
    const addresses = ['one', 'two'].map((name) => `${publisher.url}/${name}.csv`);
    assert.equal((await fetch({ addresses })).outcome, 'failed');
    publisher.offer('/two.csv', { body: await makeFile(200, 9) });
    const from = publisher.requests.length;
    assert.equal((await fetch({ addresses })).outcome, 'new');
    const [one] = publisher.requests.slice(from);
    assert.ok(one?.headers['if-none-match']);
  });
});
