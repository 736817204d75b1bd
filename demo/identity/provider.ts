import type { IncomingMessage } from 'node:http';
import type { Configuration, interactionPolicy, KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { IssuerSettings } from '../../src/accounts/issuer.ts';
import type { Routes } from '../../src/http/app.ts';
import { FORM_BODIES } from '../../src/http/bodies.ts';
import type { HttpReply } from '../../src/http/reply.ts';
import type { HttpRequest } from '../../src/http/request.ts';
import { METHODS } from '../../src/http/route.ts';
import { POLICY, sendPage } from '../../src/portal/visitor.ts';
import { claimsOf, DEMO_AUDIENCE, DEMO_CLIENT, type IdentityKeys, isEmail, subjectOf } from './keys.ts';
import { createProviderMemory } from './memory.ts';
import { emailPage, expiredPage, providerErrorPage } from './pages.ts';

/**
 * The demo's identity provider: a real OpenID Connect provider on the same server, under its own path. It accepts any
 * e-mail address without a password; everything else follows the protocol, as with an external provider.
 */
interface DemoIdentityProvider {
  readonly keys: IdentityKeys;
  /** The address of the server it runs on. */
  readonly baseUrl: () => string;
  /** The address of the service that users sign in to; in the demo it is the same server. */
  readonly clientUrl: () => string;
}

const MOUNT = '/demo/idp';

export function issuerAt(baseUrl: string): string {
  return baseUrl + MOUNT;
}

/** The settings with which the service trusts this provider. */
export function demoIssuerSettings(baseUrl: string, { clientSecret }: IdentityKeys): IssuerSettings {
  return { issuer: issuerAt(baseUrl), clientId: DEMO_CLIENT, clientSecret, audience: DEMO_AUDIENCE };
}

export function registerIdentityProvider(app: Routes, options: DemoIdentityProvider): void {
  let started: Promise<Provider> | undefined;
  /** Created on first use, because the address is known only once the server listens. */
  const provider = () => {
    started ??= createProvider(options);
    return started;
  };

  const forms = app.scope({ bodies: FORM_BODIES, bodyLimit: 4_096 });
  forms.get<Interaction>(`${MOUNT}/interaction/:uid`, async (request, reply) => {
    if (!(await isPending(await provider(), request, reply))) return sendPage(reply.code(400), expiredPage);
    return sendPage(reply, emailPage(request.url));
  });
  forms.post<Interaction>(`${MOUNT}/interaction/:uid`, async (request, reply) => {
    if (!(await isPending(await provider(), request, reply))) return sendPage(reply.code(400), expiredPage);
    const email = String(request.body?.email ?? '');
    if (!isEmail(email)) return sendPage(reply.code(400), emailPage(request.url, email));
    await endPreviousSession(await provider(), request, reply);
    const result = { login: { accountId: subjectOf(email) } };
    const target = await (await provider()).interactionResult(request.raw, reply.raw, result);
    return reply.redirect(target, 303);
  });

  for (const method of METHODS) {
    app.route({
      method,
      url: `${MOUNT}/*`,
      withoutHead: true,
      takesOver: true,
      async handler(request, reply) {
        const answer = (await provider()).callback();
        const raw: IncomingMessage & { originalUrl?: string } = request.raw;
        raw.originalUrl = request.url;
        raw.url = request.url.slice(MOUNT.length);
        reply.setRawHeaders();
        await answer(raw, reply.raw);
      },
    });
  }
}

interface Interaction {
  Params: { uid: string };
  Body: { email?: string } | null;
}

/** Whether this browser started the sign-in that the address names. */
async function isPending(provider: Provider, request: HttpRequest<Interaction>, reply: HttpReply) {
  try {
    return (await provider.interactionDetails(request.raw, reply.raw)).uid === request.params.uid;
  } catch {
    return false;
  }
}

/**
 * Ends the browser's previous session. The library would use a page that submits itself by script, which our policy
 * forbids.
 */
async function endPreviousSession(provider: Provider, request: HttpRequest, reply: HttpReply): Promise<void> {
  const interaction = await provider.interactionDetails(request.raw, reply.raw);
  if (interaction.session === undefined) return;
  await (await provider.Session.findByUid(interaction.session.uid))?.destroy();
  Reflect.deleteProperty(interaction, 'session');
  await interaction.save(INTERACTION_SECONDS);
}

const INTERACTION_SECONDS = 600;

async function createProvider({ keys, baseUrl, clientUrl }: DemoIdentityProvider): Promise<Provider> {
  const library = await loadLibrary();
  const scope = 'openid email profile';
  const configuration: Configuration = {
    adapter: createProviderMemory(),
    jwks: { keys: [keys.signingKey] } as NonNullable<Configuration['jwks']>,
    cookies: {
      keys: [keys.cookieKey],
      short: { path: MOUNT, httpOnly: true, sameSite: 'lax' },
      long: { path: MOUNT, httpOnly: true, sameSite: 'lax' },
    },
    clients: [
      {
        client_id: DEMO_CLIENT,
        client_secret: keys.clientSecret,
        redirect_uris: [`${clientUrl()}/auth/callback`],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: false,
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => claimsOf(sub) }),
    extraTokenClaims: (_ctx, token) => ('accountId' in token ? claimsOf(String(token.accountId)) : undefined),
    interactions: {
      policy: askEveryTime(library),
      url: (_ctx, { uid }) => `${MOUNT}/interaction/${uid}`,
    },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => DEMO_AUDIENCE_URI,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({ scope, audience: DEMO_AUDIENCE, accessTokenFormat: 'jwt' }),
      },
    },
    pkce: { required: () => true },
    ttl: {
      AccessToken: 3_600,
      AuthorizationCode: 60,
      IdToken: 3_600,
      Interaction: INTERACTION_SECONDS,
      Session: 86_400,
      Grant: 86_400,
    },
    async loadExistingGrant(ctx) {
      const { client, session, provider } = ctx.oidc;
      if (client === undefined || session?.accountId === undefined) return undefined;
      const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope(scope);
      grant.addResourceScope(DEMO_AUDIENCE_URI, scope);
      await grant.save();
      return grant;
    },
    renderError,
  };
  return new library.Provider(issuerAt(baseUrl()), configuration);
}

/**
 * Loaded on first use, because only the demo needs it, and by its inner modules: the main module prints a warning to
 * the console if Node is newer than the latest LTS release, and no option turns that off.
 */
async function loadLibrary() {
  const [{ Provider }, { base, Check }] = await Promise.all([
    import('oidc-provider/lib/provider.js'),
    import('oidc-provider/lib/helpers/interaction_policy/index.js'),
  ]);
  return { Provider, base, Check };
}

/** In the protocol, a resource is named by a URI; an audience can be any text. */
const DEMO_AUDIENCE_URI = `urn:${DEMO_AUDIENCE}:v1`;

/** Asks for the address at every sign-in: without passwords, users often want to sign in as somebody else. */
function askEveryTime({
  base,
  Check,
}: Pick<typeof interactionPolicy, 'base' | 'Check'>): ReturnType<typeof interactionPolicy.base> {
  const policy = base();
  const isAnswered = (ctx: KoaContextWithOIDC) => ctx.oidc.result?.login !== undefined;
  policy.get('login')?.checks.add(new Check('ask_every_time', 'the demo asks every time', (ctx) => !isAnswered(ctx)));
  return policy;
}

function renderError(ctx: KoaContextWithOIDC, out: { error: string }): void {
  ctx.type = 'html';
  ctx.set('Content-Security-Policy', POLICY);
  ctx.body = providerErrorPage(out.error).text;
}
