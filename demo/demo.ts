import type { Accounts } from '../src/accounts/accounts.ts';
import type { IssuerSettings } from '../src/accounts/issuer.ts';
import type { NamedSecrets } from '../src/accounts/named-secrets.ts';
import type { Clock } from '../src/base/clock.ts';
import type { Log } from '../src/base/log.ts';
import type { Billing } from '../src/billing/billing.ts';
import type { PaymentSettings } from '../src/billing/provider.ts';
import type { App } from '../src/http/app.ts';
import type { Webhooks } from '../src/watch/webhooks/webhooks.ts';
import { type DemoAccess, prepareDemoAccount } from './demo-account.ts';
import { paymentSettings } from './demo-payments.ts';
import { type IdentityKeys, openIdentityKeys } from './identity/keys.ts';
import { demoIssuerSettings, registerIdentityProvider } from './identity/provider.ts';
import { type PaymentSandbox, registerPaymentSandbox } from './payments/sandbox.ts';
import { importSamples, type SampleServices } from './sample-data.ts';
import { RECEIVER, registerWebhookReceiver, type WebhookReceiver } from './webhook-receiver.ts';

/**
 * What `serve --demo` adds to the service: an identity provider (`identity/`) and a payment provider (`payments/`) that
 * speak the real protocols, a receiver of webhooks, generated companies, and an account to try them with. The service itself does not know that
 * it runs as a demo.
 */
export interface Demo {
  /** The settings of the identity provider; undefined until it is mounted. */
  readonly issuer: () => IssuerSettings | undefined;
  /** The settings of the payment provider; undefined until it is mounted. */
  readonly payments: () => PaymentSettings | undefined;
  /** Adds both providers and a receiver of webhooks to the server. */
  mount(app: App, context: DemoContext): Promise<void>;
  /** Imports sample data and creates the account; needs a migrated schema. */
  fill(services: DemoServices): Promise<{ readonly samples: readonly string[]; readonly access: DemoAccess }>;
}

interface DemoContext {
  readonly dataDir: string;
  readonly baseUrl: () => string;
  readonly clock: Clock;
  readonly log: Log;
}

interface DemoServices extends SampleServices {
  readonly accounts: Accounts;
  readonly apiKeys: NamedSecrets;
  readonly billing: Billing;
  readonly webhooks: Pick<Webhooks, 'list' | 'create' | 'update'>;
}

export function createDemo(): Demo {
  let mounted:
    | {
        readonly keys: IdentityKeys;
        readonly sandbox: PaymentSandbox;
        readonly receiver: WebhookReceiver;
        readonly context: DemoContext;
      }
    | undefined;
  return {
    issuer: () => mounted && demoIssuerSettings(mounted.context.baseUrl(), mounted.keys),
    payments: () => mounted && paymentSettings(mounted.sandbox.settings()),
    async mount(app, context) {
      const { dataDir, baseUrl } = context;
      const keys = await openIdentityKeys(dataDir);
      registerIdentityProvider(app, { keys, baseUrl, clientUrl: baseUrl });
      const webhookUrl = () => `${baseUrl()}/api/v1/billing/webhook`;
      const sandbox = registerPaymentSandbox(app, { ...context, demo: true, webhookUrl });
      mounted = { keys, sandbox, receiver: registerWebhookReceiver(app, context), context };
    },
    async fill(services) {
      if (mounted === undefined) throw new Error('the demo must be mounted before it is filled');
      const samples = await importSamples(services);
      const { keys, sandbox, receiver, context } = mounted;
      const baseUrl = context.baseUrl();
      const { access, secret } = await prepareDemoAccount({
        ...services,
        keys,
        sandbox,
        baseUrl,
        receiverUrl: baseUrl + RECEIVER,
      });
      if (secret !== undefined) receiver.addSecret(secret);
      return { samples, access };
    },
  };
}
