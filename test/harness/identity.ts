import { createIdentityKeys, DEMO_AUDIENCE, DEMO_CLIENT, type IdentityKeys } from '../../demo/identity/keys.ts';
import { issuerAt, registerIdentityProvider } from '../../demo/identity/provider.ts';
import { createPlainApp } from './plain-app.ts';

/** The demo's identity provider on its own server, so that tests can stop it, start it again and change its keys. */
export interface TestIdentityProvider {
  readonly issuer: string;
  readonly keys: IdentityKeys;
  /** The environment with which `startService` trusts this provider. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
  /** Restarts it at the same address, with another signing key if one is given. */
  restart(signingKey?: IdentityKeys['signingKey']): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function startIdentityProvider(clientUrl: () => string = () => ''): Promise<TestIdentityProvider> {
  let keys = await createIdentityKeys();
  let port = 0;
  let stop = async () => {};

  async function start(): Promise<string> {
    const app = createPlainApp();
    let url = '';
    registerIdentityProvider(app, { keys, baseUrl: () => url, clientUrl });
    url = await app.listen({ host: '127.0.0.1', port });
    port = Number(new URL(url).port);
    stop = async () => {
      app.server.closeAllConnections();
      await app.close();
    };
    return url;
  }

  const issuer = issuerAt(await start());
  return {
    issuer,
    keys,
    env: {
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: DEMO_CLIENT,
      OIDC_CLIENT_SECRET: keys.clientSecret,
      OIDC_AUDIENCE: DEMO_AUDIENCE,
    },
    stop: () => stop(),
    async restart(signingKey) {
      await stop();
      if (signingKey !== undefined) keys = { ...keys, signingKey };
      await start();
    },
    [Symbol.asyncDispose]: () => stop(),
  };
}
