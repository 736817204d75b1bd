import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Clock } from '../../core/clock.ts';
import { fail } from '../../core/errors.ts';
import type { Operator } from '../../core/site.ts';
import { writeLlmsText } from '../docs/llms-text.ts';

export interface WellKnownServices {
  readonly publicUrl: () => string;
  readonly operator: Operator;
  readonly clock: Clock;
}

const SECURITY_TEXT = '/.well-known/security.txt';
const POLICY = '/docs/authentication#report-a-vulnerability';
const DAY = 24 * 60 * 60 * 1_000;
/** RFC 9116 recommends less than a year. The text is written for each request, so it never expires while the service runs. */
const VALID_DAYS = 180;

/** Records name people, result pages are endless, and the rest is not for search engines. */
const ROBOTS = [
  'User-agent: *',
  ...['/api/', '/auth/', '/dashboard', '/entities/', '/explore?', '/mcp'].map((path) => `Disallow: ${path}`),
  '',
].join('\n');

/**
 * Text files at addresses that programs know: `robots.txt` for search engines, `llms.txt` for language models, `security.txt` for those
 * who find a vulnerability.
 */
export function registerWellKnown(app: FastifyInstance, { publicUrl, operator, clock }: WellKnownServices): void {
  app.get('/llms.txt', (_request, reply) => {
    return sendText(reply, writeLlmsText(publicUrl()));
  });

  app.get('/robots.txt', (_request, reply) => sendText(reply, ROBOTS));

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

function sendText(reply: FastifyReply, text: string): FastifyReply {
  return reply.header('Cache-Control', 'public, max-age=300').type('text/plain; charset=utf-8').send(text);
}
