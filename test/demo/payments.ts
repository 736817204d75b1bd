import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Stripe from 'stripe';
import { type PaymentSandbox, registerPaymentSandbox } from '../../demo/payments/sandbox.ts';
import type { PaymentState } from '../../demo/payments/state.ts';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { createLog } from '../../src/base/observability/log.ts';
import { registerAssets } from '../../src/portal/pages/assets.ts';
import { startHttp } from '../harness/http-server.ts';
import { createPlainApp } from '../harness/plain-app.ts';

/**
 * The demo's payment sandbox on its own server, so that tests can stop it and start it again with the state it kept.
 */
export interface TestPaymentSandbox extends PaymentSandbox {
  readonly url: string;
  readonly dataDir: string;
  /** Stripe's SDK, pointed at the sandbox. */
  readonly stripe: Stripe;
  /** What the sandbox has written to disk. */
  readState(): PaymentState;
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface SandboxSettings {
  readonly webhookUrl: string | (() => string);
  readonly clock?: Clock;
  /** Default: a temporary folder, removed by `stop`. */
  readonly dataDir?: string;
  readonly port?: number;
}

export async function startPaymentSandbox(settings: SandboxSettings): Promise<TestPaymentSandbox> {
  const { webhookUrl, clock = systemClock, port = 0 } = settings;
  const dataDir = settings.dataDir ?? mkdtempSync(join(tmpdir(), 'payments-'));
  const app = createPlainApp();
  let url = '';
  const sandbox = registerPaymentSandbox(app, {
    demo: true,
    dataDir,
    baseUrl: () => url,
    webhookUrl: () => (typeof webhookUrl === 'string' ? webhookUrl : webhookUrl()),
    clock,
    log: createLog('silent').log,
    retryDelaysMs: [20, 50, 100],
  });
  registerAssets(app);
  url = await app.listen({ host: '127.0.0.1', port });

  const stop = async () => {
    app.server.closeAllConnections();
    await app.close();
    if (settings.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
  };
  return {
    ...sandbox,
    url,
    dataDir,
    stripe: connectStripe(sandbox),
    readState: () => JSON.parse(readFileSync(join(dataDir, 'payments.json'), 'utf8')),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** The SDK has options for host and port, but not for a path prefix. */
export function connectStripe({ settings }: Pick<PaymentSandbox, 'settings'>): Stripe {
  const { apiUrl, secretKey } = settings();
  const { hostname, port, pathname } = new URL(apiUrl);
  const node = Stripe.createNodeHttpClient();
  const makeRequest: typeof node.makeRequest = (host, onPort, path, ...others) =>
    node.makeRequest(host, onPort, pathname + path, ...others);
  return new Stripe(secretKey, {
    host: hostname,
    port,
    protocol: 'http',
    telemetry: false,
    maxNetworkRetries: 0,
    httpClient: { getClientName: () => node.getClientName(), makeRequest },
  });
}

export interface SeenPage {
  readonly status: number;
  readonly text: string;
  /** The address of a redirect. */
  readonly location: string | null;
}

/** Opens a checkout page and presses "Pay". */
export async function payCheckout(url: string, card?: string): Promise<SeenPage> {
  const page = await see(url);
  const [form] = readForms(page.text);
  if (page.status !== 200 || form === undefined) throw new Error(`no checkout at ${url}: ${page.status}`);
  return submit(url, form, card === undefined ? {} : { card });
}

/**
 * Opens the portal, presses the button of this action, confirms if asked, and returns the page that follows. If several
 * buttons have the same action, `fields` says which one.
 */
export async function operatePortal(
  url: string,
  action: string,
  fields: Record<string, string> = {},
): Promise<SeenPage> {
  const page = await see(url);
  const form = readForms(page.text).find((each) => each.fields.action === action && hasFields(each, fields));
  if (form === undefined) throw new Error(`no button ${action} in the portal (${page.status})`);
  return follow(url, await submit(url, form, fields));
}

async function follow(url: string, page: SeenPage): Promise<SeenPage> {
  if (page.location === null) return page;
  const next = await see(new URL(page.location, url).href);
  const confirmation = readForms(next.text).find(({ fields }) => fields.confirmed === 'true');
  return confirmation === undefined ? next : follow(url, await submit(url, confirmation));
}

/** Compares all fields but the card, which the user types in. */
function hasFields(form: PageForm, wanted: Record<string, string>): boolean {
  return Object.entries(wanted).every(([name, value]) => name === 'card' || form.fields[name] === value);
}

export async function see(url: string, fields?: Record<string, string>): Promise<SeenPage> {
  const init = fields === undefined ? {} : { method: 'POST', body: new URLSearchParams(fields) };
  const response = await fetch(url, { ...init, redirect: 'manual' });
  return { status: response.status, text: await response.text(), location: response.headers.get('location') };
}

interface PageForm {
  readonly target: string;
  /** The values of its inputs and its button. */
  readonly fields: Readonly<Record<string, string>>;
}

/** The forms of the page itself: the frame around it has one to sign out. */
function readForms(page: string): PageForm[] {
  const content = page.slice(page.indexOf('<main'));
  return [...content.matchAll(/<form [^>]*action="([^"]*)".*?<\/form>/gs)].map(([form, target = '']) => {
    const parts = [...form.matchAll(/<(?:input|button)\b[^>]*>/g)].map(([tag]) => {
      const read = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? '';
      return [read('name'), read('value')];
    });
    return { target, fields: Object.fromEntries(parts.filter(([name]) => name !== '')) };
  });
}

function submit(url: string, { target, fields }: PageForm, changes: Record<string, string> = {}): Promise<SeenPage> {
  return see(new URL(target, url).href, { ...fields, ...changes });
}

/** Receives webhooks like a service: checks the signature and keeps the events in order of arrival. */
interface WebhookReceiver {
  readonly url: string;
  readonly events: Stripe.Event[];
  readonly headers: Record<string, string>[];
  types(): string[];
  close(): Promise<void>;
}

async function startReceiver(secret: () => string, clock: Clock = systemClock): Promise<WebhookReceiver> {
  const server = await startHttp((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const signature = String(request.headers['stripe-signature']);
      const body = Buffer.concat(chunks);
      try {
        // The SDK takes the time of receipt in milliseconds.
        const event = Stripe.webhooks.constructEvent(body, signature, secret(), 300, undefined, clock.now());
        receiver.events.push(event);
        receiver.headers.push(request.headers as Record<string, string>);
        response.writeHead(200).end();
      } catch {
        response.writeHead(500).end();
      }
    });
  });
  const receiver: WebhookReceiver = {
    url: `${server.url}/`,
    events: [],
    headers: [],
    types: () => receiver.events.map(({ type }) => type),
    close: () => server[Symbol.asyncDispose](),
  };
  return receiver;
}

/** A sandbox and a receiver for its webhooks. */
export interface PaymentWorld {
  readonly sandbox: TestPaymentSandbox;
  readonly receiver: WebhookReceiver;
  readonly stripe: Stripe;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function startPaymentWorld(settings: Omit<SandboxSettings, 'webhookUrl'> = {}): Promise<PaymentWorld> {
  let secret = '';
  const receiver = await startReceiver(() => secret, settings.clock);
  const sandbox = await startPaymentSandbox({ ...settings, webhookUrl: receiver.url });
  secret = sandbox.settings().webhookSecret;
  return {
    sandbox,
    receiver,
    stripe: sandbox.stripe,
    async [Symbol.asyncDispose]() {
      await sandbox.stop();
      await receiver.close();
    },
  };
}

/** Creates a customer that buys a plan on the checkout page; returns both, and the address of its portal. */
export async function buyPlan({ stripe, settled }: Pick<TestPaymentSandbox, 'stripe' | 'settled'>) {
  const customer = await stripe.customers.create({ email: 'anna@example.com', metadata: { accountId: 'acc-1' } });
  const session = await stripe.checkout.sessions.create({
    mode: 'subscription',
    customer: customer.id,
    line_items: [{ price: 'price_demo_pro', quantity: 1 }],
    subscription_data: { metadata: { accountId: 'acc-1' } },
    client_reference_id: 'acc-1',
    success_url: 'http://shop.test/done',
    cancel_url: 'http://shop.test/plans',
  });
  await payCheckout(session.url ?? '');
  await settled();
  const portal = await stripe.billingPortal.sessions.create({
    customer: customer.id,
    return_url: 'http://shop.test/account',
  });
  const { data } = await stripe.subscriptions.list({ customer: customer.id });
  const [subscription] = data;
  if (subscription === undefined) throw new Error('nothing was bought');
  return { customer, subscription, portal: portal.url };
}
