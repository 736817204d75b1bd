import { hash, randomUUID } from 'node:crypto';
import { createTransport } from 'nodemailer';
import type { Clock } from '../../base/clock.ts';
import { changeInBatches } from '../../base/db/batches.ts';
import type { Db } from '../../base/db/db.ts';
import type { Lease } from '../../base/db/lease.ts';
import { fail } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { createToken } from '../../base/secrets.ts';
import { isLoopbackHost } from '../../base/site.ts';
import { createBackgroundWork, logFailures, oneAtATime } from '../../base/system/background-work.ts';
import type { MonitorEvent, MonitorEvents } from '../monitors/events.ts';
import type { MonitorChange } from '../monitors/monitor.ts';
import { requireMonitor } from '../monitors/store.ts';
import type { NamedAlert } from './store.ts';
import * as store from './store.ts';

export type { NamedAlert } from './store.ts';

interface AlertOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly lease: Lease;
  readonly events: Pick<MonitorEvents, 'ofAccount' | 'last'>;
  /** Undefined if e-mail is not configured. `url` is an address such as smtps://user:password@smtp.example.com. */
  readonly settings: { readonly url: string; readonly from: string } | undefined;
  readonly publicUrl: string;
}

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
const POLL_MS = 5_000;
/** The pause between immediate e-mails. An import reports its changes in parts, which become one e-mail, or a few. */
const IMMEDIATE_MS = 5 * MINUTE;
/** The time of day at which daily e-mails are sent, UTC. */
const DAILY_AT = 6 * HOUR;
const PAUSE_MS = MINUTE;
/** The pause after the mail server did not accept an address or a message, and how often this may happen. */
const [RETRY_MS, MAX_FAILURES] = [HOUR, 5];
const MAX_PER_PASS = 100;
const MAX_ADDRESSES = 5;
/** How many addresses an account may add per day: the owners of these addresses did not ask for the confirmation e-mail. */
const MAX_ADDED = 50;
const CONFIRM_DAYS = 7;
const SERVER_LIMITS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 };

export type MailAlerts = ReturnType<typeof createMailAlerts>;

/**
 * E-mail alerts: addresses that get the changes of a monitor, at once or daily. This folder owns the addresses, the texts and the sending by SMTP;
 * `monitors/` finds the changes. An e-mail is sent before it is recorded as sent: after a crash it may arrive twice, with the same id. No address is
 * logged.
 */
export function createMailAlerts({ db, clock, log, lease, events, settings, publicUrl }: AlertOptions) {
  const transport = settings && openTransport(settings.url);
  let pausedUntil = 0;

  async function send({ id, address, token, position, state }: store.NamedAlert, { subject, text }: Message) {
    const page = alertAddress(publicUrl, token);
    const name = hash('sha256', `${id} ${state} ${position}`, 'hex').slice(0, 32);
    await transport?.sendMail({
      from: settings?.from,
      to: { name: '', address },
      subject,
      text,
      date: new Date(clock.now()),
      messageId: `<${name}@${new URL(publicUrl).hostname}>`,
      headers: {
        'Auto-Submitted': 'auto-generated',
        'List-Unsubscribe': `<${page}>`,
        // With this header, one click in a mail program ends the alert (RFC 8058).
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      },
    });
  }

  /** Returns the message to send now, if any, and the state to record afterwards. */
  async function compose(alert: store.NamedAlert) {
    const now = clock.now();
    const { accountId, monitorId, rhythm, position } = alert;
    if (alert.state === 'new') {
      const sent = { state: 'asked', position, nextAt: now, failures: 0 } as const;
      return { message: writeConfirmation(alert, publicUrl), sent };
    }
    const nextAt = rhythm === 'daily' ? nextDaily(now) : now + IMMEDIATE_MS;
    const { total, last } = await store.countNews(db, alert);
    const end = last ?? position;
    const found = await events.ofAccount(accountId, JSON.stringify([monitorId]), position, MAX_LISTED);
    const news = found.events.filter((event) => event.position <= end);
    const message = news.length > 0 ? writeChanges(alert, news, total, publicUrl) : undefined;
    return { message, sent: { state: 'active', position: end, nextAt, failures: 0 } as const };
  }

  /** Records that an e-mail was sent, has failed or was answered, unless the reader has answered meanwhile. */
  async function record({ id, state }: store.StoredAlert, changes: Partial<store.StoredAlert>): Promise<void> {
    await store.alerts.update(db, { id, state }, changes);
  }

  /** Returns false if the mail server is not available, so that nothing else is tried now. */
  async function attempt(alert: store.NamedAlert): Promise<boolean> {
    const { message, sent } = await compose(alert);
    const problem = message && (await send(alert, message).catch(describeProblem));
    if (problem === undefined) {
      await record(alert, sent);
      return true;
    }
    const { isOfAddress, ...reason } = problem;
    if (!isOfAddress) {
      log.warn(reason, 'e-mails cannot be sent: check SMTP_URL and MAIL_FROM');
      pausedUntil = clock.now() + PAUSE_MS;
      return false;
    }
    log.warn({ ...reason, alert: alert.id }, 'the mail server did not accept an e-mail');
    const failures = alert.failures + 1;
    const state = failures === MAX_FAILURES ? 'refused' : alert.state;
    await record(alert, { state, failures, nextAt: clock.now() + RETRY_MS });
    return true;
  }

  async function sendDue(signal?: AbortSignal): Promise<void> {
    if (transport === undefined || clock.now() < pausedUntil) return;
    if ((await store.listDue(db, clock.now(), 1)).length === 0) return;
    await lease.hold(async (lost) => {
      for (const alert of await store.listDue(db, clock.now(), MAX_PER_PASS)) {
        if (lost.aborted || signal?.aborted || !(await attempt(alert))) return;
      }
    });
  }

  const step = oneAtATime(sendDue);

  async function prune(signal?: AbortSignal): Promise<void> {
    const now = clock.now();
    await changeInBatches({ db, name: 'mail pruning', size: 500, signal }, (tx, limit) =>
      store.deleteOld(tx, now - DAY, now - CONFIRM_DAYS * DAY, limit),
    );
  }

  async function answer(token: string, to: 'active' | 'stopped'): Promise<void> {
    const alert = await store.findByToken(db, token);
    if (alert === undefined) return;
    const isWaiting = alert.state === 'new' || alert.state === 'asked';
    if (!isWaiting && !(to === 'stopped' && alert.state === 'active')) return;
    // Changes before the reader agreed are not reported.
    const begin = to === 'active' && { position: await events.last(), nextAt: findStart(alert.rhythm) };
    await record(alert, { state: to, failures: 0, ...begin });
  }

  const findStart = (rhythm: store.Rhythm) => (rhythm === 'daily' ? nextDaily(clock.now()) : clock.now());

  const work = [
    createBackgroundWork(POLL_MS, logFailures(log, 'e-mails could not be sent', step)),
    createBackgroundWork(10 * MINUTE, logFailures(log, 'old addresses could not be deleted', prune)),
  ];

  return {
    /** Whether e-mails are sent: the operator has configured a mail server. */
    isOn: transport !== undefined,
    /** This method and the following ones throw `monitor_not_found`. */
    async list(accountId: string, monitorId: string): Promise<store.StoredAlert[]> {
      return store.listAlerts(db, (await requireMonitor(db, accountId, monitorId)).number);
    },
    /**
     * Adds an address, or changes how often it gets e-mails. The reader of an address other than `own`, which the identity provider has verified, has
     * to confirm first. Throws `invalid_request` and `monitor_limit_reached`.
     */
    async add(
      accountId: string,
      monitorId: string,
      { address: given, rhythm }: { readonly address: string; readonly rhythm: store.Rhythm },
      own: string | null,
    ): Promise<void> {
      const address = given.trim();
      if (address.length > 254 || !ADDRESS.test(address)) throw fail('invalid_request', NO_ADDRESS);
      const isSame = (other: string) => other.toLowerCase() === address.toLowerCase();
      const { number: monitor } = await requireMonitor(db, accountId, monitorId);
      const now = clock.now();
      const position = await events.last();
      const nextAt = findStart(rhythm);
      await db.transaction(async (tx) => {
        await tx.hold(`e-mail alerts of ${accountId}`, 'exclusive');
        const all = await store.listAlerts(tx, monitor);
        const known = all.find((each) => isSame(each.address));
        if (known !== undefined && known.state !== 'stopped' && known.state !== 'refused') {
          await store.alerts.update(tx, { id: known.id }, { rhythm, nextAt: known.state === 'new' ? now : nextAt });
          return;
        }
        if (known !== undefined) await store.alerts.update(tx, { id: known.id }, REMOVED);
        else if (all.length >= MAX_ADDRESSES)
          throw tooMany(`A monitor has at most ${MAX_ADDRESSES} addresses: remove one first.`);
        if ((await store.countCreated(tx, accountId, now - DAY)) >= MAX_ADDED)
          throw tooMany('You have added too many addresses today.');
        const [id, token] = [randomUUID(), createToken()];
        const row = { id, accountId, monitor, address, rhythm, token, position, failures: 0, createdAt: now };
        const isOwn = own !== null && isSame(own);
        await store.alerts.insert(tx, {
          ...row,
          ...(isOwn ? { state: 'active', nextAt } : { state: 'new', nextAt: now }),
        });
      });
    },
    async remove(accountId: string, monitorId: string, id: string): Promise<void> {
      const { number } = await requireMonitor(db, accountId, monitorId);
      await store.alerts.update(db, { id, monitor: number }, REMOVED);
    },
    /** Finds an alert by the secret in the links of its e-mails. Undefined if the alert or its monitor was removed. */
    findByToken: (token: string): Promise<store.NamedAlert | undefined> => store.findByToken(db, token),
    confirm: (token: string): Promise<void> => answer(token, 'active'),
    unsubscribe: (token: string): Promise<void> => answer(token, 'stopped'),
    step,
    prune,
    start(): void {
      if (transport !== undefined) for (const each of work) each.start();
    },
    async stop(): Promise<void> {
      await Promise.all(work.map((each) => each.stop()));
      transport?.close();
    },
  };
}

const REMOVED = { state: 'removed', address: '' } as const;

/** One address without a name. Addresses that do not exist are rejected by the mail server. */
const ADDRESS = /^[^\s@<>"(),:;\\[\]\p{Cc}]+@[^\s@<>"(),:;\\[\]\p{Cc}]+\.[^\s@<>"(),:;\\[\]\p{Cc}]+$/u;
const NO_ADDRESS = { message: 'Enter one e-mail address, such as anna@example.com.', field: 'address' };

function tooMany(message: string) {
  return fail('monitor_limit_reached', { message });
}

/** Leaves out the message of the error, which may contain the address. */
function describeProblem(error: unknown) {
  const { code, command, responseCode }: Record<string, unknown> = Object(error);
  return { isOfAddress: command === 'RCPT TO' || command === 'DATA', code, responseCode };
}

/** Passwords and messages are sent over TLS, except to this machine. */
function openTransport(url: string) {
  const requireTLS = !isLoopbackHost(new URL(url).hostname);
  return createTransport({ url, requireTLS, disableFileAccess: true, disableUrlAccess: true, ...SERVER_LIMITS });
}

function nextDaily(now: number): number {
  return (Math.floor((now - DAILY_AT) / DAY) + 1) * DAY + DAILY_AT;
}

export interface Message {
  readonly subject: string;
  readonly text: string;
}

/** The maximum number of changes in an e-mail. The page of the monitor lists all changes. */
const MAX_LISTED = 25;

/** Writes the changes as plain text, which any mail program shows, and in which names of companies cannot contain markup. */
function writeChanges(alert: NamedAlert, events: readonly MonitorEvent[], total: number, publicUrl: string): Message {
  const name = toLine(alert.monitorName);
  const amount = total === 1 ? '1 change' : `${total} changes`;
  const listed = events.slice(0, MAX_LISTED);
  const page = `${publicUrl}/dashboard/monitors/${alert.monitorId}`;
  const more = total > listed.length ? `And ${total - listed.length} more: ${page}` : `All changes: ${page}`;
  const items = listed.map(({ data }) => describeEvent(data as unknown as MonitorChange, publicUrl));
  const text = [`${amount} in “${name}”:`, ...items, more, writeEnd(alert, publicUrl)].join('\n\n');
  return { subject: `${name}: ${amount}`, text: `${text}\n` };
}

/** Asks the reader of an address that a user has entered. No other e-mail is sent to the address before the reader agrees. */
function writeConfirmation(alert: NamedAlert, publicUrl: string): Message {
  const { token, rhythm } = alert;
  const name = toLine(alert.monitorName);
  const often = rhythm === 'daily' ? 'once a day' : 'soon after each change';
  return {
    subject: `Confirm e-mails about “${name}”`,
    text: `Somebody entered this address at ${publicUrl}, to get an e-mail ${often} about the companies in “${name}”.

If that was you, or you agree, confirm it:
${alertAddress(publicUrl, token)}

If not, do nothing: no further e-mail is sent.
`,
  };
}

function alertAddress(publicUrl: string, token: string): string {
  return `${publicUrl}/alerts/${token}`;
}

function describeEvent(change: MonitorChange, publicUrl: string): string {
  const { type, entityId, before, after, fields } = change;
  const name = toLine((after ?? before)?.canonicalName ?? 'A company');
  const values = listValues(change);
  const details = values.length > 0 || fields.length === 0 ? values : [`changed: ${fields.join(', ')}`];
  return [`${name}: ${type}`, ...details.map(toLine), `${publicUrl}/entities/${entityId}`].join('\n  ');
}

function writeEnd({ token, rhythm }: NamedAlert, publicUrl: string): string {
  return `You get this ${rhythm === 'daily' ? 'daily e-mail' : 'e-mail'} because this address was chosen for this monitor.
Stop these e-mails: ${alertAddress(publicUrl, token)}`;
}

const LABELS = {
  canonicalName: 'Name',
  status: 'Status',
  legalForm: 'Legal form',
  registeredAt: 'Registration date',
} as const;

/** Details that repeat the values with labels. */
const REPEATED = /^registry\.(?:status|legalForm)\b|^registrations\.status/;

/** The values before and after a change, one per line. */
export function listValues({ before, after, details }: MonitorChange): string[] {
  const shown = Object.entries(LABELS).flatMap(([name, label]) => {
    const [old, current] = [before, after].map((values) => values?.[name as keyof typeof LABELS] ?? null);
    return old === current ? [] : [`${label}: ${old ?? 'none'} → ${current ?? 'none'}`];
  });
  const others = (details ?? []).filter(({ field }) => !REPEATED.test(field));
  const write = (field: string) => field.replace(/^registry\./, '').replace(/\.(?:text|label)$/, '');
  return [...shown, ...others.map((one) => `${write(one.field)}: ${one.before ?? 'none'} → ${one.after ?? 'none'}`)];
}

/** Replaces characters that could imitate other lines of the message: control characters, and those that change the reading order. */
function toLine(text: string): string {
  return text.replace(/[\s\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu, ' ').trim();
}
