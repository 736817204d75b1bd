import { fail } from '../../base/errors.ts';
import type { Routes } from '../../http/app.ts';
import type { HttpReply } from '../../http/reply.ts';
import { GROUPS, writeLlmsText } from '../docs/library.ts';
import type { PageServices } from '../services.ts';

const SECURITY_TEXT = '/.well-known/security.txt';
const POLICY = '/docs/authentication#report-a-vulnerability';
const DAY = 24 * 60 * 60 * 1_000;
/** RFC 9116 recommends less than a year. The text is written for each request, so it never expires while the service runs. */
const VALID_DAYS = 180;

/** Records name people, result pages are endless, and the rest is not for search engines. */
const NOT_FOR_CRAWLERS = ['/api/', '/auth/', '/dashboard', '/entities/', '/explore?', '/mcp'];
const PAGES = ['/', '/explore', '/match', '/coverage', '/plans', '/status'];

/**
 * Text files at addresses that programs know: `robots.txt` and `sitemap.xml` for search engines, `llms.txt` for language models, `security.txt` for those
 * who find a vulnerability.
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
    // RFC 9116 allows only https in these.
    ...(publicUrl.startsWith('https:')
      ? [`Canonical: ${publicUrl}${SECURITY_TEXT}`, `Policy: ${publicUrl}${POLICY}`]
      : []),
  ];
  return `${fields.join('\n')}\n`;
}

function sendText(reply: HttpReply, text: string, type = 'text/plain'): HttpReply {
  return reply.header('Cache-Control', 'public, max-age=300').type(`${type}; charset=utf-8`).send(text);
}
