import type { FastifyInstance } from 'fastify';
import type { Accounts } from '../accounts/accounts.ts';
import type { ApiKeys } from '../accounts/api-keys.ts';
import type { IssuerSettings } from '../accounts/issuer.ts';
import type { Billing } from '../billing/billing.ts';
import type { PaymentSettings } from '../billing/provider.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { type DemoAccess, prepareDemoAccount } from './demo-account.ts';
import { paymentSettings } from './demo-payments.ts';
import { type IdentityKeys, openIdentityKeys } from './identity/keys.ts';
import { demoIssuerSettings, registerIdentityProvider } from './identity/provider.ts';
import { type PaymentSandbox, registerPaymentSandbox } from './payments/sandbox.ts';
import { importSamples, type SampleServices } from './sample-data.ts';

/**
 * What `serve --demo` adds to the service: stand-ins that speak the real protocols, invented companies, and an account
 * to try them with. The service itself does not know that it is a demo.
 */
export interface Demo {
  /** For the services: whom to trust, once that is known. */
  readonly issuer: () => IssuerSettings | undefined;
  /** For the services: who takes the money, once that is known. */
  readonly payments: () => PaymentSettings | undefined;
  /** Adds the stand-ins to the server. */
  mount(app: FastifyInstance, place: DemoPlace): Promise<void>;
  /** Fills the data once there is a schema; returns what to use it with. */
  fill(services: DemoServices): Promise<{ readonly samples: readonly string[]; readonly access: DemoAccess }>;
}

export interface DemoPlace {
  readonly dataDir: string;
  readonly baseUrl: () => string;
  readonly clock: Clock;
  readonly log: Log;
}

export interface DemoServices extends SampleServices {
  readonly accounts: Accounts;
  readonly apiKeys: ApiKeys;
  readonly billing: Billing;
}

export function createDemo(): Demo {
  let mounted: { readonly keys: IdentityKeys; readonly sandbox: PaymentSandbox; readonly place: DemoPlace } | undefined;
  return {
    issuer: () => mounted && demoIssuerSettings(mounted.place.baseUrl(), mounted.keys),
    payments: () => mounted && paymentSettings(mounted.sandbox.settings()),
    async mount(app, place) {
      const { dataDir, baseUrl } = place;
      const keys = await openIdentityKeys(dataDir);
      registerIdentityProvider(app, { keys, baseUrl, clientUrl: baseUrl });
      const webhookUrl = () => `${baseUrl()}/api/v1/billing/webhook`;
      const sandbox = registerPaymentSandbox(app, { ...place, demo: true, webhookUrl });
      mounted = { keys, sandbox, place };
    },
    async fill(services) {
      if (mounted === undefined) throw new Error('the demo is filled before it is mounted');
      const samples = await importSamples(services);
      const { keys, sandbox, place } = mounted;
      const access = await prepareDemoAccount({ ...services, keys, sandbox, baseUrl: place.baseUrl() });
      return { samples, access };
    },
  };
}
