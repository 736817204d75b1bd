import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useMeteredService } from '../api/metered-service.ts';
import { openClient } from './pipelined-client.ts';

/** Header lines of requests without a body. */
const EMPTY = ['', 'Content-Length: 0\r\n', 'Transfer-Encoding: chunked\r\n'];

describe('requests that name a content type but have no body', () => {
  const metered = useMeteredService('sqlite');

  for (const path of ['/api/v1/match', '/mcp', '/api/v1/billing/webhook']) {
    test(`${path} answers them, however they say that there is no body`, async () => {
      const { secret } = await metered.newKey('business');
      const statuses = await Promise.all(
        EMPTY.map(async (framing) => {
          const { write, receive, socket } = openClient(metered.service.url);
          const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${secret}\r\nContent-Type: application/json\r\n`;
          write(`${head}${framing}\r\n${framing.includes('chunked') ? '0\r\n\r\n' : ''}`);
          const [reply] = await receive(1);
          socket.destroy();
          return reply?.status;
        }),
      );
      assert.deepEqual(statuses, [400, 400, 400]);
    });
  }
});
