import { createServer } from 'node:http';
import type { Reply } from './replies.ts';

/** The server that `bench http` compares with: Node's HTTP server and one callback that sends prepared replies. */
process.once('message', (replies: ReadonlyMap<string, Reply>) => {
  const server = createServer((request, response) => {
    const { headers, body } = replies.get(request.url ?? '') as Reply;
    response.writeHead(200, headers as string[]);
    response.end(body);
  });
  server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
  process.once('disconnect', () => {
    server.close();
    server.closeAllConnections();
  });
});
