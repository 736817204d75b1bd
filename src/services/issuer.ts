import type { IssuerSettings } from '../accounts/issuer.ts';
import type { Config } from '../config/config.ts';

/** The configured identity provider. Without OIDC_AUDIENCE, tokens must be issued for our client id. */
export function issuerOf({ oidc }: Config): IssuerSettings | undefined {
  const audience = oidc.audience ?? oidc.clientId;
  if (oidc.issuer === undefined || audience === undefined) return undefined;
  return { issuer: oidc.issuer, clientId: oidc.clientId, clientSecret: oidc.clientSecret, audience };
}
