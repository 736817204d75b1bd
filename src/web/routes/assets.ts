import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { sendText } from '../send-page.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Serves the files in `public/` from memory. Each has its own route, so no request can reach another path. */
export function registerAssets(app: FastifyInstance): void {
  const folder = new URL('../../../public/', import.meta.url);
  for (const file of readdirSync(folder)) {
    const type = TYPES[extname(file)];
    if (type === undefined) continue;
    const content = readFileSync(new URL(file, folder));
    const zipped = gzipSync(content);
    app.get(`/assets/${file}`, (_request, reply) => {
      sendText(reply.header('Cache-Control', 'public, max-age=300').type(type), content, () => zipped);
    });
  }
}
