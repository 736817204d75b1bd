import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fail } from '../../base/errors.ts';
import { keepCompressed } from '../../base/system/compression.ts';
import type { Routes } from '../../http/app.ts';
import type { HttpReply } from '../../http/reply.ts';
import { GROUPS, writeLlmsText } from '../docs/library.ts';
import type { PageServices } from '../services.ts';

const FOLDER = new URL('../../../public/', import.meta.url);
/** Pictures of the guides. Readers of the repository also see these pictures. */
const PICTURES = new URL('../../../docs/images/', import.meta.url);

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
};

/** The files in `public/styles/`. They are joined in this order to one stylesheet, so that a page needs only one request. */
const STYLES =
  'base frame text code forms tables home explore results match record tree dashboard docs docs-article reference print';

/** Serves the files in `public/` and the pictures of the guides from memory. Each file has its own route, so no request can reach other paths. */
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
        .map((name) => readFileSync(new URL(`styles/${name}.css`, FOLDER), 'utf8'))
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

const SECURITY_TEXT = '/.well-known/security.txt';
const POLICY = '/docs/authentication#report-a-vulnerability';
const DAY = 24 * 60 * 60 * 1_000;
/** RFC 9116 recommends less than a year. The text is written for each request, so it never expires while the service runs. */
const VALID_DAYS = 180;

/** Records name people, result pages are endless, and the other addresses are not for search engines. */
const NOT_FOR_CRAWLERS = ['/api/', '/auth/', '/dashboard', '/entities/', '/explore?', '/mcp'];
const PAGES = ['/', '/explore', '/match', '/coverage', '/plans', '/status'];

/**
 * Text files at well-known addresses: `robots.txt` and `sitemap.xml` for search engines, `llms.txt` for language models, `security.txt` for
 * people who find a vulnerability.
 */
export function registerWellKnown(app: Routes, { publicUrl, operator, clock }: PageServices): void {
  app.get('/llms.txt', (_request, reply) => {
    return sendText(reply, writeLlmsText(publicUrl()));
  });

  const mayList = operator.crawlers === 'pages';
  app.get('/robots.txt', (_request, reply) => {
    const rules = (mayList ? NOT_FOR_CRAWLERS : ['/']).map((path) => `Disallow: ${path}`);
    const sitemap = mayList ? [`Sitemap: ${publicUrl()}/sitemap.xml`] : [];
    return sendText(reply, `${['User-agent: *', ...rules, ...sitemap].join('\n')}\n`);
  });

  if (mayList) {
    const paths = [...PAGES, ...GROUPS.flatMap(({ entries }) => entries.map(({ address }) => address))];
    app.get('/sitemap.xml', (_request, reply) => {
      const urls = paths.map((path) => `<url><loc>${publicUrl()}${path}</loc></url>`);
      const sitemap = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join('')}</urlset>`;
      return sendText(reply, `<?xml version="1.0" encoding="utf-8"?>\n${sitemap}\n`, 'application/xml');
    });
  }

  app.get(SECURITY_TEXT, (_request, reply) => {
    const { contactEmail } = operator;
    if (contactEmail === undefined) throw fail('not_found');
    return sendText(reply, writeSecurityText(contactEmail, publicUrl(), clock.now()));
  });
}

function writeSecurityText(email: string, publicUrl: string, now: number): string {
  const expires = new Date(Math.floor(now / DAY + VALID_DAYS) * DAY).toISOString();
  const fields = [
    `Contact: mailto:${email.split('@').map(encodeURIComponent).join('@')}`,
    `Expires: ${expires}`,
    'Preferred-Languages: en',
    // RFC 9116 allows only https in these two fields.
    ...(publicUrl.startsWith('https:')
      ? [`Canonical: ${publicUrl}${SECURITY_TEXT}`, `Policy: ${publicUrl}${POLICY}`]
      : []),
  ];
  return `${fields.join('\n')}\n`;
}

function sendText(reply: HttpReply, text: string, type = 'text/plain'): HttpReply {
  return reply.header('Cache-Control', 'public, max-age=300').type(`${type}; charset=utf-8`).send(text);
}
