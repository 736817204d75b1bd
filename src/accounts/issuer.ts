import {
  allowInsecureRequests,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  None,
} from 'openid-client';
import { fail } from '../core/errors.ts';
import { fetchBounded } from './bounded-fetch.ts';

/** How the identity provider is reached and what it knows us as. */
export interface IssuerSettings {
  readonly issuer: string;
  /** Undefined: session tokens are accepted, but nobody can sign in with a browser here. */
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  /** Whom session tokens are made for: us. */
  readonly audience: string;
}

/** The settings when they are asked for: the demo's provider has an address only once the server listens. */
export type ReadIssuerSettings = () => IssuerSettings | undefined;

/** What the provider tells about itself, read when first needed and kept. */
export interface Issuer {
  readonly settings: ReadIssuerSettings;
  /** Throws `service_unavailable` while the provider cannot be reached. */
  discover(): Promise<Configuration>;
}

/** While a provider is down it is asked at most this often, however many requests come. */
export const PAUSE_MS = 1_000;
const TIMEOUT_SECONDS = 3;

export function createIssuer(settings: ReadIssuerSettings): Issuer {
  let found: Promise<Configuration> | undefined;

  async function ask(): Promise<Configuration> {
    const given = settings();
    if (given === undefined)
      throw fail('service_unavailable', { message: 'Sign-in is not configured on this server.' });
    const { issuer, clientId, clientSecret, audience } = given;
    const server = new URL(issuer);
    const configuration = await discovery(server, clientId ?? audience, undefined, authenticate(clientSecret), {
      timeout: TIMEOUT_SECONDS,
      [customFetch]: fetchBounded,
      // config.ts lets plain http pass for this machine only.
      execute: [enableNonRepudiationChecks, ...(server.protocol === 'http:' ? [allowInsecureRequests] : [])],
    });
    configuration.timeout = TIMEOUT_SECONDS;
    return configuration;
  }

  return {
    settings,
    async discover() {
      found ??= ask();
      const asked = found;
      try {
        return await asked;
      } catch (error) {
        // Forgotten after a pause: whoever asks until then gets the same answer, and the provider is left alone.
        setTimeout(() => {
          if (found === asked) found = undefined;
        }, PAUSE_MS).unref();
        throw unreachable(error);
      }
    },
  };
}

/** In the header where the provider takes that, as it must unless it says otherwise; a public client has no secret. */
function authenticate(secret: string | undefined): ReturnType<typeof None> {
  if (secret === undefined) return None();
  const [basic, post] = [ClientSecretBasic(secret), ClientSecretPost(secret)];
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    (methods.includes('client_secret_basic') ? basic : post)(server, client, body, headers);
  };
}

/** What keeps us from the provider is a matter of the log; the client may only try again. */
export function unreachable(cause: unknown) {
  const message = 'The identity provider cannot be reached at the moment: try again shortly.';
  return fail('service_unavailable', { message, cause, retryAfter: 2 });
}
