import type { App } from './app-type.ts';

/**
 * For routes to which the type of a body means nothing: whatever comes is handed to `read` as it came. Fastify refuses a type it
 * cannot parse before it asks for a parser, so the type is set aside first.
 */
export function takeAnyBody(scope: App, read: (body: Buffer) => unknown, bodyLimit?: number): void {
  scope.removeAllContentTypeParsers();
  const options = { parseAs: 'buffer', ...(bodyLimit !== undefined && { bodyLimit }) } as const;
  scope.addContentTypeParser('*', options, (_request, body, done) => done(null, read(body as unknown as Buffer)));
  scope.addHook('onRequest', (request, _reply, done) => {
    const { headers } = request.raw;
    if (headers['content-type'] !== undefined) headers['content-type'] = 'application/octet-stream';
    done();
  });
}
