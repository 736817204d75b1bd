import type { FastifyInstance } from 'fastify';
import type { Accounts } from '../accounts/accounts.ts';
import type { ApiKeys } from '../accounts/api-keys.ts';
import type { IssuerSettings } from '../accounts/issuer.ts';
import { type DemoAccess, prepareDemoAccount } from './demo-account.ts';
import { type IdentityKeys, openIdentityKeys } from './identity-keys.ts';
import { demoIssuerSettings, registerIdentityProvider } from './identity-provider.ts';
import { importSamples, type SampleServices } from './sample-data.ts';

/**
 * What `serve --demo` adds to the service: stand-ins that speak the real protocols, invented companies, and an account to
 * try them with. The service itself does not know that it is a demo.
 */
export interface Demo {
  /** For the services: whom to trust, once that is known. */
  readonly issuer: () => IssuerSettings | undefined;
  /** Adds the stand-ins to the server. */
  mount(app: FastifyInstance, dataDir: string, baseUrl: () => string): Promise<void>;
  /** Fills the data once there is a schema; returns what to use it with. */
  fill(services: DemoServices): Promise<{ readonly samples: readonly string[]; readonly access: DemoAccess }>;
}

export interface DemoServices extends SampleServices {
  readonly accounts: Accounts;
  readonly apiKeys: ApiKeys;
}

export function createDemo(): Demo {
  let mounted: { readonly keys: IdentityKeys; readonly baseUrl: () => string } | undefined;
  return {
    issuer: () => mounted && demoIssuerSettings(mounted.baseUrl(), mounted.keys),
    async mount(app, dataDir, baseUrl) {
      const keys = await openIdentityKeys(dataDir);
      registerIdentityProvider(app, { keys, baseUrl, clientUrl: baseUrl });
      mounted = { keys, baseUrl };
    },
    async fill(services) {
      if (mounted === undefined) throw new Error('the demo is filled before it is mounted');
      const samples = await importSamples(services);
      const access = await prepareDemoAccount({ ...services, keys: mounted.keys, baseUrl: mounted.baseUrl() });
      return { samples, access };
    },
  };
}
