import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDatabase, usualEngines } from '../harness/databases.ts';
import { openOffice } from '../harness/keys.ts';
import { type Answer, countdown, fire, numbersOf, of, startServers, tally } from '../harness/load.ts';

const SERVERS = 3;
const ROUNDS = 8;
const LEFT = 150;

for (const engine of usualEngines) {
  test(`kill -9 of a server under load on ${engine}, ${ROUNDS} times: every answer is charged, and no more is granted`, async (t) => {
    const database = await createDatabase(engine);
    const servers = await startServers(database, SERVERS);
    const office = openOffice(database);
    t.after(async () => {
      await office[Symbol.asyncDispose]();
      await servers.close();
      await database[Symbol.asyncDispose]();
    });
    let lost = 0;
    let interrupted = 0;

    for (let round = 0; round < ROUNDS; round++) {
      const account = await office.createAccount({ left: LEFT, keys: 3 });
      const load = { keys: account.keys, callers: 60 };

      // The server dies at a different moment in each round: during the first transactions or under full load.
      const victim = round % SERVERS;
      const dieAt = 1 + ((round * 37) % 90);
      let answered = 0;
      const onAnswer = () => {
        if (++answered === dieAt) servers.at(victim).kill('SIGKILL');
      };
      const before = await fire(130, { ...load, urls: servers.urls, onAnswer });
      await servers.at(victim).ended;
      const midway = await office.readUsed(account.accountId);
      checkAnswers(before);
      const served = of(200, before).length;
      const broken = of(0, before).length + of(503, before).length;
      const charged = midway.quota - account.usedBefore;
      assert.ok(charged >= served, `round ${round}: ${served} were served and ${charged} charged`);
      // Only requests that the killed server had in flight may be charged in vain.
      assert.ok(
        charged - served <= broken,
        `round ${round}: ${charged} charged, ${served} served, ${broken} interrupted`,
      );
      assert.equal(midway.daily, charged, 'the daily charts and the quota differ');

      await servers.restart(victim);
      const alone = await fire(5, { ...load, callers: 5, urls: [servers.at(victim).url] });
      assert.deepEqual(tally(alone), { 200: 5 }, 'the restarted server does not serve');
      const after = [...alone, ...(await fire(LEFT + 20, { ...load, urls: servers.urls }))];
      checkAnswers(after);
      const all = [...before, ...after];
      assert.equal(of(0, after).length, 0, 'a running server dropped a request');
      // On a busy machine, a request may wait too long for the database. What it had taken is given back.
      const refused = of(503, after).length;
      // The rest of the quota is granted, by the restarted server too, and not one more. Requests that the killed server
      // had in flight may have been charged after the first check.
      const total = of(200, all).length;
      assert.ok(
        total <= LEFT && total >= LEFT - broken - refused,
        `round ${round}: ${total} served, ${broken} interrupted, ${refused} refused`,
      );
      const remaining = numbersOf('x-monthly-quota-remaining', of(200, all));
      assert.equal(new Set(remaining).size, remaining.length, 'the same request was granted twice');
      assert.ok(remaining.every((number) => countdown(LEFT).includes(number)));
      const used = await office.settle(account.accountId);
      assert.equal(used.daily, used.quota - account.usedBefore);
      assert.ok(used.quota <= account.quota && used.quota >= account.quota - refused);
      interrupted += broken;
      lost += LEFT - total;
    }
    assert.ok(interrupted > 0, 'no request was in flight when a server died');
    t.diagnostic(`${interrupted} requests were interrupted or refused, ${lost} of them charged`);
  });
}

function checkAnswers(answers: readonly Answer[]): void {
  const expected = ['0', '200', '429 monthly_quota_exceeded', '503 service_unavailable'];
  assert.ok(
    Object.keys(tally(answers)).every((kind) => expected.includes(kind)),
    JSON.stringify(tally(answers)),
  );
}
