import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { clientCredentialsGrant } from 'openid-client';
import { createIssuer } from '../../src/accounts/issuer.ts';
import { readLimits } from '../harness/limits.ts';

/** Requests a token from a provider that supports these methods. Returns what the provider received. */
async function requestToken(methods: readonly string[] | undefined, clientSecret: string | undefined) {
  let received: { readonly authorization: string | undefined; readonly form: object } | undefined;
  const answer = async (request: IncomingMessage, issuer: string) => {
    if (request.url !== '/token') {
      return { issuer, token_endpoint: `${issuer}/token`, token_endpoint_auth_methods_supported: methods };
    }
    const form = Object.fromEntries(new URLSearchParams(await text(request)));
    received = { authorization: request.headers.authorization, form };
    return { access_token: 'a', token_type: 'bearer' };
  };
  const server = createServer(async (request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(await answer(request, `http://${request.headers.host}`)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const settings = { issuer, clientId: 'us', clientSecret, audience: 'us' };
    await clientCredentialsGrant(await createIssuer(() => settings, readLimits()).discover());
    return received;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const grant = { grant_type: 'client_credentials' };
const basic = { authorization: `Basic ${Buffer.from('us:s3').toString('base64')}`, form: grant };

test('the secret goes into the header, and into the body only if the provider does not support the header', async () => {
  assert.deepEqual(await requestToken(undefined, 's3'), basic);
  assert.deepEqual(await requestToken(['client_secret_post', 'client_secret_basic'], 's3'), basic);
  assert.deepEqual(await requestToken(['client_secret_post'], 's3'), {
    authorization: undefined,
    form: { ...grant, client_id: 'us', client_secret: 's3' },
  });
});

test('a public client sends only its id', async () => {
  const onlyId = { authorization: undefined, form: { ...grant, client_id: 'us' } };
  assert.deepEqual(await requestToken(undefined, undefined), onlyId);
});
