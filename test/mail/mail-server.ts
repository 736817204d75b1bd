import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { until } from '../harness/until.ts';

export const PASSWORD = 'mail-secret';

/** A mail as it arrived. */
export interface Mail {
  readonly to: readonly string[];
  readonly text: string;
}

export interface MailServer extends AsyncDisposable {
  readonly url: string;
  readonly mails: Mail[];
  /** Addresses that it does not know. */
  readonly unknown: Set<string>;
  /** Waits until so many mails have arrived, and returns the last one. */
  waitFor(count: number): Promise<Mail>;
}

/** A real SMTP server, which takes mails from a user with a password. */
export async function startMailServer(): Promise<MailServer> {
  const mails: Mail[] = [];
  const unknown = new Set<string>();
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ password }, _session, done) => {
      if (password === PASSWORD) done(null, { user: 'firmament' });
      else done(new Error('wrong password'));
    },
    onRcptTo: ({ address }, _session, done) => {
      done(unknown.has(address) ? Object.assign(new Error(`no mailbox ${address}`), { responseCode: 550 }) : null);
    },
    onData: (stream, { envelope }, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        mails.push({
          to: envelope.rcptTo.map(({ address }) => address),
          text: decode(Buffer.concat(chunks).toString()),
        });
        done(null);
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://firmament:${PASSWORD}@127.0.0.1:${port}`,
    mails,
    unknown,
    async waitFor(count) {
      await until(`${count} mails have arrived`, () => mails.length >= count);
      return mails[count - 1] as Mail;
    },
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

/** The headers on one line each, and the text without its encoding. */
function decode(raw: string): string {
  const [head = '', ...rest] = raw.split('\r\n\r\n');
  const body = rest.join('\n\n');
  const headers = head.replace(/\r\n\s+/g, ' ');
  const encoding = /^Content-Transfer-Encoding: (.*)$/im.exec(headers)?.[1];
  if (encoding === 'base64') return `${headers}\n\n${Buffer.from(body, 'base64').toString()}`;
  if (encoding !== 'quoted-printable') return `${headers}\n\n${body}`;
  const bytes = body
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return `${headers}\n\n${Buffer.from(bytes, 'latin1').toString()}`;
}
