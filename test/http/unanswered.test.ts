import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { DETAIL, ENDPOINTS, type TestKey, useMeteredService } from '../api/metered-service.ts';
import { usualEngines } from '../harness/databases.ts';
import { until } from '../harness/until.ts';

for (const engine of usualEngines) {
  describe(`requests that cannot be answered cost nothing, on ${engine}`, () => {
    const metered = useMeteredService(engine);

    /** Sends bytes, closes its side if asked to, and returns what arrives. */
    function exchange(text: string, closes: boolean): Promise<string> {
      return new Promise((resolve) => {
        const socket = connect({
          port: Number(new URL(metered.service.url).port),
          host: '127.0.0.1',
          allowHalfOpen: true,
        });
        let received = '';
        socket.setEncoding('latin1').on('data', (more) => {
          received += more;
        });
        socket.on('error', () => undefined).on('end', () => socket.end());
        socket.on('close', () => resolve(received));
        if (closes) socket.end(text);
        else socket.write(text);
      });
    }
    const write = (path: string, { secret }: TestKey, more = '') =>
      `GET ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${secret}\r\n${more}\r\n`;

    test('bad framing gets 400 and costs nothing', async () => {
      const key = await metered.newKey('business');
      for (const path of [...ENDPOINTS, '/api/v1/changes', '/api/v1/exports']) {
        const reply = await exchange(write(path, key, 'Transfer-Encoding: identity\r\n'), false);
        assert.match(reply, /^HTTP\/1\.1 400 /, path);
        assert.equal(reply.match(/^HTTP\/1\.1 \d/gm)?.length, 1, 'one reply');
      }
      await until('nothing is charged', async () => (await metered.counts(key))[1] === 0);
    });

    test('a client that closes its side pays exactly for the answers that it gets', async () => {
      const key = await metered.newKey('business');
      const paths = Array.from({ length: 40 }, (_, at) => ENDPOINTS[at % ENDPOINTS.length] ?? DETAIL);
      const conditional = 'If-None-Match: "x"\r\n';
      const replies = await Promise.all(
        paths.map((path, at) => exchange(write(path, key, at % 2 === 0 ? '' : conditional), true)),
      );
      const answered = replies.filter((reply) => reply.startsWith('HTTP/1.1 200')).length;
      assert.ok(replies.every((reply) => reply === '' || reply.startsWith('HTTP/1.1 200')));
      await until('only answers are charged', async () => (await metered.counts(key))[1] === answered);
    });
  });
}
