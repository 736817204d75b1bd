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
import { fail } from '../base/errors.ts';
import { readBounded } from '../base/requests/responses.ts';
import { type TimeLimits, timeLimits } from '../base/system/time-limits.ts';

/** The address of the identity provider, and the ids under which this service is registered there. */
export interface IssuerSettings {
  readonly issuer: string;
  /** If undefined, session tokens are accepted, but users cannot sign in with a browser. */
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  /** The audience of session tokens: this service. */
  readonly audience: string;
}

/** Read on every use: the provider of the demo gets its address only when the server listens. */
export type ReadIssuerSettings = () => IssuerSettings | undefined;

/** While a provider is down, it is asked at most once per pause, however many requests arrive. */
export const PAUSE_MS = 1_000;

export type Issuer = ReturnType<typeof createIssuer>;

/** The provider's metadata, read on first use and cached. */
export function createIssuer(
  settings: ReadIssuerSettings,
  { identityMs }: Pick<TimeLimits, 'identityMs'> = timeLimits,
) {
  let cached: Promise<Configuration> | undefined;

  async function request(): Promise<Configuration> {
    const given = settings();
    if (given === undefined)
      throw fail('service_unavailable', { message: 'Sign-in is not configured on this server.' });
    const { issuer, clientId, clientSecret, audience } = given;
    const server = new URL(issuer);
    const configuration = await discovery(server, clientId ?? audience, undefined, authenticate(clientSecret), {
      timeout: identityMs / 1_000,
      [customFetch]: fetchBounded,
      // config.ts accepts plain http only for a provider on this machine.
      execute: [enableNonRepudiationChecks, ...(server.protocol === 'http:' ? [allowInsecureRequests] : [])],
    });
    configuration.timeout = identityMs / 1_000;
    return configuration;
  }

  return {
    settings,
    timeoutMs: identityMs,
    /** Throws `service_unavailable` if the provider cannot be reached. */
    discover(): Promise<Configuration> {
      cached ??= request().catch((error: unknown) => {
        // The failure stays cached for a moment, to give the provider time to recover.
        setTimeout(() => {
          cached = undefined;
        }, PAUSE_MS).unref();
        throw unreachable(error);
      });
      return cached;
    },
  };
}

/** Sends the secret in the header unless the provider supports only the body. A public client has no secret. */
function authenticate(secret: string | undefined): ReturnType<typeof None> {
  if (secret === undefined) return None();
  const [basic, post] = [ClientSecretBasic(secret), ClientSecretPost(secret)];
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    (methods.includes('client_secret_basic') ? basic : post)(server, client, body, headers);
  };
}

/** The reason goes to the log; the client only learns that it can retry. */
export function unreachable(cause: unknown) {
  const message = 'The identity provider cannot be reached at the moment: try again shortly.';
  return fail('service_unavailable', { message, cause, retryAfter: 2 });
}

/** The metadata and keys of an issuer take a few KiB. */
const MAX_BYTES = 1024 * 1024;

/**
 * `fetch` with a size limit, for requests to the issuer. The libraries read a response to its end, so a hostile server
 * on a fast network could fill our memory within their time-out of three seconds. A longer response fails.
 */
export async function fetchBounded(url: string, init: object): Promise<Response> {
  const response = await fetch(url, init);
  if (response.body === null) return response;
  return new Response(new Uint8Array(await readBounded(response.body, MAX_BYTES)), response);
}
