import type { App } from '../app-type.ts';

/**
 * For routes that accept a body of any content type: `read` gets its bytes. Fastify rejects a malformed content type before it looks
 * for a parser, so a hook replaces the header first.
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
