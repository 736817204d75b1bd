import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { type DrainOptions, prepareDrain } from '../../src/http/transport/drain.ts';
import { importCompanies } from '../harness/entities.ts';
import { startService } from '../harness/service.ts';
import { company } from '../registry/gb-file.ts';
import { exchange, findHeader } from './exchange.ts';
import { openClient } from './pipelined-client.ts';

const HEAD = 'HTTP/1.1 200 OK\r\nX-Test: 1\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\n';

/** The body `é`, as `createReplyWriter` passes it to Node. */
const BODIES = [
  ['text', 'é', 'utf8'],
  ['bytes', Buffer.from('é'), 'utf8'],
  ['bytes as text', Buffer.from('é').toString('latin1'), 'latin1'],
] as const;

describe('data replies', () => {
  for (const method of ['GET', 'HEAD']) {
    for (const [kind, body, encoding] of BODIES) {
      test(`Node sends \`_header\` instead of its own headers, in one write: ${method}, ${kind}`, async () => {
        let writes = 0;
        const closed = Promise.withResolvers<boolean>();
        const server = createServer((_request, response) => {
          const { socket } = response;
          const handle = (socket as unknown as { _handle: Record<string, unknown> })._handle;
          for (const name of ['writev', 'writeBuffer', 'writeUtf8String', 'writeLatin1String', 'writeAsciiString']) {
            const write = handle[name] as (...args: unknown[]) => unknown;
            handle[name] = (...args: unknown[]) => {
              writes++;
              return write.apply(handle, args);
            };
          }
          response.on('close', () => closed.resolve(response.writableFinished));
          (response as typeof response & { _header: string })._header = HEAD;
          response.end(body, encoding);
        });
        await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
        const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
        const reply = await exchange(url, `${method} / HTTP/1.1\r\nHost: x\r\n\r\n`);
        server.closeAllConnections();
        server.close();
        const changed =
          'this release of Node treats `_header` differently: change createReplyWriter in src/http/charged/reply.ts';
        const expected = HEAD.split('\r\n').slice(1, 4);
        assert.deepEqual(
          reply.headers.map(([name, value]) => `${name}: ${value}`),
          expected,
          changed,
        );
        assert.equal(reply.body.toString(), method === 'HEAD' ? '' : 'é', changed);
        assert.deepEqual([writes, await closed.promise], [1, true], changed);
      });
    }
  }

  test('spellings of a search that share a reply have their own ETag and Link, however often they alternate', async () => {
    await using service = await startService('sqlite');
    await importCompanies(service, [company('00000001', 'ALPHA ÉCOLE LTD')]);
    const key = await service.findKey();
    const seen = new Map<string, string>();
    for (const query of ['q=alpha', 'q=alpha&page=1', 'q=alpha&page=1', 'q=alpha', 'q=alpha']) {
      const reply = await exchange(
        service.url,
        `GET /api/v1/entities?${query} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`,
      );
      assert.equal(JSON.parse(reply.body.toString()).data[0].canonicalName, 'ALPHA ÉCOLE LTD');
      const own = `${findHeader(reply, 'etag')} ${findHeader(reply, 'link')}`;
      assert.equal(own, seen.get(query) ?? own);
      seen.set(query, own);
    }
    const [[tag] = '', [other] = ''] = [...seen.values()].map((text) => text.split(' '));
    assert.notEqual(tag, other);
  });

  test('a server that stops says so in replies to data requests, and answers what has begun', async () => {
    let drain: ((options: DrainOptions) => Promise<boolean>) | undefined;
    await using service = await startService('sqlite', {
      extend: (app) => {
        drain = prepareDrain(app);
      },
    });
    await importCompanies(service, [company('00000001', 'ALPHA LTD')]);
    const request = `GET /api/v1/entities?q=alpha HTTP/1.1\r\nHost: x\r\nX-API-Key: ${await service.findKey()}\r\n\r\n`;
    const client = openClient(service.url);
    client.write(request);
    await client.receive(1);
    const draining = drain?.({ lingerMs: 60_000, deadlineMs: 60_000 });
    client.write(request);
    const replies = await client.ended;
    assert.deepEqual(
      replies.map(({ status, headers }) => [status, headers.get('connection'), headers.get('keep-alive')]),
      [
        [200, 'keep-alive', 'timeout=72'],
        [200, 'close', null],
      ],
    );
    client.socket.end();
    assert.equal(await draining, true);
  });
});
