import assert from 'node:assert/strict';
import { Agent, type IncomingMessage, request as open } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import fc from 'fast-check';
import { signSessionToken } from '../../demo/identity/keys.ts';
import type { Contract } from '../../src/api/contract.ts';
import { type HostileServer, sendJson, startHostile } from '../attack/hostile-server.ts';
import { createContractCheck, type Reply } from '../harness/contract-check.ts';
import { usualEngines } from '../harness/databases.ts';
import { runs } from '../harness/depth.ts';
import { describeOn } from '../harness/describe-on.ts';
import { importCompanies } from '../harness/entities.ts';
import { startIdentityProvider, type TestIdentityProvider } from '../harness/identity.ts';
import { sign } from '../harness/payment-events.ts';
import { startService, type TestService } from '../harness/service.ts';
import { company } from '../registry/gb-file.ts';
import { type Credentials, type FuzzRequest, PLACEHOLDERS, requestsOf } from './requests.ts';

/** Each run uses a new seed. A failure prints it, so that FUZZ_SEED can repeat the requests of the run. */
const REQUESTS = runs(500, 20_000);
const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000_000);
const BATCH_SIZE = 250;
const MAX_CONNECTIONS = 16;

const companies = Array.from({ length: 40 }, (_, index) => company(`0700${2_000 + index}`, `MÜLLER & CO ${index} LTD`));

describeOn(usualEngines, 'fuzz from the contract', (engine) => {
  test(`${REQUESTS} requests never cause a 5xx or a response that does not match the contract`, async (t) => {
    await using idp = await startIdentityProvider();
    await using provider = await startPaymentStub();
    const env = { ...idp.env, STRIPE_SECRET_KEY: 'sk_test_fuzz', STRIPE_API_URL: provider.url };
    await using service = await startService(engine, { env, limits: { guessDelayMs: 0 } });
    await importCompanies(service, companies);
    const world = await prepare(service, idp);
    const contract: Contract = JSON.parse((await service.client.get('/api/v1/openapi.json')).text);
    const check = createContractCheck(contract);
    const requests = requestsOf(contract);
    const agent = new Agent({ keepAlive: true, maxSockets: MAX_CONNECTIONS });
    const tally = new Map<string, number>();
    const started = performance.now();
    for (let sent = 0; sent < REQUESTS; sent += BATCH_SIZE) {
      const batch = fc.sample(requests, { numRuns: Math.min(BATCH_SIZE, REQUESTS - sent), seed: SEED + sent });
      const replies = await Promise.all(
        batch.map(async (each) => {
          const finished = finish(each, world, service);
          const reply = await send(service.url, agent, finished).catch((error: unknown) => fail(finished, error));
          remember(world, finished, reply);
          return { finished, reply };
        }),
      );
      // Checked while no request is open: the service runs in the same thread, and the first check of an operation compiles its schemas.
      for (const { finished, reply } of replies) {
        try {
          if (reply.status >= 500) throw new Error(`${reply.status} ${reply.text}\n${readWarnings(service).join('')}`);
          check(finished.method, finished.path, reply);
        } catch (error) {
          fail(finished, error);
        }
        tally.set(String(reply.status), (tally.get(String(reply.status)) ?? 0) + 1);
      }
      // The clock advances, so that most requests pass the rate window. The free key still reaches its quota.
      service.clock.advance(10_000);
    }
    agent.destroy();
    report(t, engine, tally, (performance.now() - started) / 1_000);
    assert.equal(
      (await service.client.get('/api/v1/health/ready')).status,
      200,
      'the service is not ready after the test',
    );
    for (const status of ['200', '400', '401', '405']) assert.ok(tally.has(status), `no response had status ${status}`);
  });
});

/** Answers API calls like Stripe. The sandbox of the demo is too slow here, because it stores everything on disk. */
function startPaymentStub(): Promise<HostileServer> {
  let count = 0;
  return startHostile((request, response) => {
    const id = `cus_fuzz_${count++}`;
    request.resume();
    if (request.method === 'GET') sendJson(response, { object: 'list', data: [], has_more: false });
    else sendJson(response, { id, object: 'x', url: `https://pay.test/${id}` });
  });
}

interface World {
  readonly entityIds: readonly string[];
  readonly keyIds: string[];
  readonly headers: Readonly<Record<Exclude<Credentials, 'signature' | 'damagedSignature'>, Record<string, string>>>;
}

async function prepare(service: TestService, idp: TestIdentityProvider): Promise<World> {
  const { clock } = service;
  const [paying, free] = [await service.signIn(), await service.signIn({ plan: 'free' })];
  const [key, freeKey] = [await service.createKey(), await service.createKey({ plan: 'free' })];
  const found = await service.client.get('/api/v1/entities', { headers: { 'x-api-key': key } });
  const lifeSeconds = 40 * 86_400;
  const token = await signSessionToken(idp.keys, {
    issuer: idp.issuer,
    email: 'fuzz@b.test',
    now: clock.now(),
    lifeSeconds,
  });
  const cookie = { cookie: paying.headers.cookie ?? '', origin: service.url };
  return {
    entityIds: found.body.data.map(({ id }: { id: string }) => id),
    keyIds: [],
    headers: {
      key: { 'x-api-key': key },
      bearerKey: { authorization: `Bearer ${key}` },
      freeKey: { 'x-api-key': freeKey },
      cookie,
      freeCookie: { ...cookie, cookie: free.headers.cookie ?? '' },
      token: { authorization: `Bearer ${token}` },
      none: {},
      damagedKey: { 'x-api-key': `${key.slice(0, -1)}_` },
      damagedToken: { authorization: `Bearer ${token.slice(0, -2)}` },
      damagedCookie: { ...cookie, cookie: 'session=nobody' },
      keyAndCookie: { ...cookie, 'x-api-key': key },
      foreignOrigin: { ...cookie, origin: 'https://evil.example' },
    },
  };
}

/** The last warnings and errors that the service logged. */
function readWarnings({ logLines }: TestService): string[] {
  return logLines.filter((line) => JSON.parse(line).level >= 40).slice(-3);
}

type Finished = Omit<FuzzRequest, 'credentials' | 'choice'>;

const UNKNOWN_ID = '6f1f7a52-0c3b-4c8e-9d1a-2b7f6a9e4d10';

/** Replaces placeholders with values of the running service. */
function finish({ credentials, choice, ...request }: FuzzRequest, world: World, { clock }: TestService): Finished {
  const pick = (ids: readonly string[]) => ids[choice % ids.length] ?? UNKNOWN_ID;
  const path = request.path
    .replace(PLACEHOLDERS.entity, () => pick(world.entityIds))
    .replace(PLACEHOLDERS.key, () => pick(world.keyIds));
  const isSigned = credentials === 'signature' || credentials === 'damagedSignature';
  const signature = isSigned ? sign(Buffer.from(request.body ?? ''), clock.now()) : '';
  const authentication = isSigned
    ? { 'payment-signature': credentials === 'signature' ? signature : signature.replace(/.$/, 'x') }
    : world.headers[credentials];
  return { ...request, path, headers: { ...request.headers, ...authentication } };
}

/** New keys can be revoked by later requests. Only a few are kept, so that the key limit allows new ones. */
function remember({ keyIds }: World, { method, path }: Finished, reply: Reply): void {
  if (reply.status === 201) keyIds.push(reply.body.data.id);
  if (method === 'DELETE' && reply.status === 204) keyIds.splice(keyIds.indexOf(path.split('/').at(-1) ?? ''), 1);
}

const DECOMPRESS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
};

function send(url: string, agent: Agent, { method, path, headers, body }: Finished): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const bytes = body === undefined ? undefined : Buffer.from(body);
    const length = bytes === undefined ? {} : { 'content-length': bytes.length };
    const { hostname, port } = new URL(url);
    const sent = open({ hostname, port, method, path, agent, headers: { ...headers, ...length } }, (response) => {
      readReply(method, response).then(resolve, reject);
    });
    sent.on('error', reject);
    sent.end(bytes);
  });
}

async function readReply(method: string, response: IncomingMessage): Promise<Reply> {
  const bytes = await buffer(response);
  const decompress = DECOMPRESS[response.headers['content-encoding'] ?? ''];
  const text = method === 'HEAD' ? '' : (decompress?.(bytes) ?? bytes).toString();
  const isJson = response.headers['content-type']?.startsWith('application/json') && text !== '';
  const pairs = Object.entries(response.headers).map(([name, value]): [string, string] => [name, String(value)]);
  return {
    status: response.statusCode ?? 0,
    headers: new Headers(pairs),
    text,
    body: isJson ? JSON.parse(text) : undefined,
  };
}

function fail({ method, path, headers, body }: Finished, error: unknown): never {
  const request = JSON.stringify({ method, path, headers, body: body?.slice(0, 500) });
  throw new Error(`FUZZ_SEED=${SEED}: ${request}: ${error instanceof Error ? error.message : error}`);
}

function report(t: TestContext, engine: string, tally: ReadonlyMap<string, number>, seconds: number): void {
  const statuses = [...tally].sort().map(([status, count]) => `${status}: ${count}`);
  t.diagnostic(`${engine}: ${REQUESTS} requests, seed ${SEED}, ${seconds.toFixed(1)} s; ${statuses.join(', ')}`);
}
