import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { keepCompressed } from '../../base/system/compression.ts';
import type { Routes } from '../../http/app.ts';

const FOLDER = new URL('../../../public/', import.meta.url);
/** Pictures of the guides, which are shown in the repository too. */
const PICTURES = new URL('../../../docs/images/', import.meta.url);

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
};

/** The files in `public/styles/`. In this order they become one stylesheet, so that a page needs only one request. */
const STYLES =
  'base frame text code forms tables home explore results match record tree dashboard docs docs-article reference print';

/** Serves the files in `public/` and the pictures of the guides from memory. Each has its own route, so no request can reach another path. */
export function registerAssets(app: Routes): void {
  const serve = (file: string, type: string, content: Buffer) => {
    const body = keepCompressed(content);
    app.get(`/assets/${file}`, (_request, reply) => {
      reply.header('Cache-Control', 'public, max-age=300').type(type).send(body);
    });
  };
  serve(
    'app.css',
    'text/css; charset=utf-8',
    Buffer.from(
      STYLES.split(' ')
        .map((name) => shorten(readFileSync(new URL(`styles/${name}.css`, FOLDER), 'utf8')))
        .join(''),
    ),
  );
  for (const folder of [FOLDER, PICTURES]) {
    for (const file of readdirSync(folder)) {
      const type = TYPES[extname(file)];
      if (type !== undefined) serve(file, type, readFileSync(new URL(file, folder)));
    }
  }
}

/** Without comments and most white space, which no browser needs. */
function shorten(style: string): string {
  return style
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/\s*\n\s*/g, '\n')
    .replace(/(?<=[a-z-]): | \{\n|[,;]\n/g, (text) => text.trim());
}
