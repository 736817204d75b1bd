import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { describe, test } from 'node:test';
import { parseEnv } from 'node:util';
import { ConfigError, parseRemoteService, readConfig } from '../src/base/config/config.ts';
import { timeLimits } from '../src/base/system/time-limits.ts';

describe('configuration', () => {
  test('an empty environment gives the defaults', () => {
    const config = readConfig({});
    assert.equal(config.host, '127.0.0.1');
    assert.equal(config.port, 3000);
    assert.equal(config.adminPort, 9464);
    assert.equal(config.searchEngine, 'memory');
    assert.equal(config.databaseUrl, undefined);
    assert.equal(config.publicUrl, undefined);
    assert.equal(config.logLevel, 'info');
    assert.deepEqual(config.stripe.webhookSecrets, []);
    assert.equal(config.webhookDays, 90);
    assert.equal(config.journalDays, 400);
    assert.deepEqual(config.operator, {
      termsUrl: undefined,
      privacyUrl: undefined,
      contactEmail: undefined,
      crawlers: 'pages',
    });
  });

  test('it is deeply frozen', () => {
    const config = readConfig({ STRIPE_WEBHOOK_SECRET: 'a,b' });
    for (const part of [config, config.operator, config.stripe, config.stripe.webhookSecrets]) {
      assert.ok(Object.isFrozen(part));
    }
  });

  test('values are trimmed, and an empty one counts as not set', () => {
    const config = readConfig({
      PORT: ' 8080 ',
      PUBLIC_URL: 'https://api.example.com/',
      DATABASE_URL: 'postgres://u:p@db/firmament',
      WORKERS: '4',
      OIDC_ISSUER: '',
      STRIPE_WEBHOOK_SECRET: 'whsec_new, whsec_old,',
      STRIPE_API_URL: 'http://127.0.0.1:9000',
    });
    assert.equal(config.port, 8080);
    for (const port of [0, 65_535]) assert.equal(readConfig({ PORT: String(port) }).port, port);
    assert.equal(config.publicUrl, 'https://api.example.com');
    assert.equal(config.workers, 4);
    assert.equal(config.oidc, undefined);
    assert.deepEqual(config.stripe.webhookSecrets, ['whsec_new', 'whsec_old']);
  });

  test('CLICKHOUSE_URL has nodes, a user with a password, and a database; it is read only if ClickHouse is the engine', () => {
    const read = (url: string) => readConfig({ SEARCH_ENGINE: 'clickhouse', CLICKHOUSE_URL: url }).clickhouse;
    assert.deepEqual(read('https://fir%40m:p%2Fa:b@node1:8443,node2/companies'), {
      hosts: ['https://node1:8443', 'https://node2'],
      user: 'fir@m',
      password: 'p/a:b',
      database: 'companies',
    });
    const local = { hosts: ['http://127.0.0.1:8123'], user: 'default', password: '', database: 'firmament' };
    assert.deepEqual(read('http://127.0.0.1:8123'), local);
    assert.equal(readConfig({ CLICKHOUSE_URL: 'nonsense' }).clickhouse, undefined);
  });

  test('proxies are addresses, networks or a number; origins are a list; by default there are none', () => {
    const proxies = (text: string) => readConfig({ TRUST_PROXY: text }).trustedProxies;
    assert.deepEqual(proxies(''), []);
    assert.deepEqual(proxies('127.0.0.1, 10.0.0.0/8,::1, fd00::/8'), ['127.0.0.1', '10.0.0.0/8', '::1', 'fd00::/8']);
    assert.deepEqual([proxies('0'), proxies(' 2 ')], [0, 2]);
    assert.deepEqual(readConfig({}).corsOrigins, []);
    const origins = 'https://a.example, http://localhost:5173,https://[::1]:8443';
    assert.deepEqual(readConfig({ CORS_ORIGINS: origins }).corsOrigins, origins.split(/, ?/));
  });

  test('the service of an assistant: https or this machine, with a key, and errors do not repeat the key', () => {
    const key = 'frm_live_x';
    assert.deepEqual(parseRemoteService({ FIRMAMENT_KEY: ` ${key} ` }), { url: 'http://127.0.0.1:3000', key });
    const url = 'https://api.example.com/base';
    assert.deepEqual(parseRemoteService({ FIRMAMENT_URL: `${url}/`, FIRMAMENT_KEY: key }), { url, key });
    for (const wrong of ['api.example.com', 'http://api.example.com', 'https://u:p@api.example.com', `${url}?a=b`]) {
      assert.throws(
        () => parseRemoteService({ FIRMAMENT_URL: wrong, FIRMAMENT_KEY: key }),
        /^Error: FIRMAMENT_URL (is|has|w)/,
      );
    }
    assert.throws(() => parseRemoteService({}), /FIRMAMENT_KEY is not set: create an API key at http\S+\/dashboard/);
    assert.throws(
      () => parseRemoteService({ FIRMAMENT_KEY: 'a secret' }),
      (error: Error) => !error.message.includes('secret'),
    );
    // A server does not use them.
    assert.ok(readConfig({ FIRMAMENT_URL: 'nonsense' }));
  });

  test('localhost is one address, not two', () => {
    assert.equal(readConfig({ HOST: 'localhost' }).host, '127.0.0.1');
    assert.equal(readConfig({ HOST: '::1' }).host, '::1');
  });

  test('more host names are a list without ports, in the form that browsers send', () => {
    assert.deepEqual(readConfig({}).allowedHosts, []);
    const { allowedHosts } = readConfig({ ALLOWED_HOSTS: 'WWW.example.com, bücher.example.,[::1],10.0.0.7' });
    assert.deepEqual(allowedHosts, ['www.example.com', 'xn--bcher-kva.example', '[::1]', '10.0.0.7']);
  });

  test('by default there is one serving thread per core, and one in the demo', () => {
    assert.equal(readConfig({}).workers, availableParallelism());
    assert.equal(readConfig({ WORKERS: '1' }, { demo: true }).workers, 1);
    assert.equal(readConfig({}, { demo: true }).workers, 1);
    assert.throws(
      () => readConfig({ WORKERS: '2' }, { demo: true }),
      /WORKERS is 2, .* remove it, or leave out --demo\.$/,
    );
  });

  test('updates are off by default, and never run in the demo', () => {
    assert.equal(readConfig({}).update, undefined);
    assert.equal(readConfig({ UPDATE: 'off' }, { demo: true }).update, undefined);
    for (const text of ['daily@03:00', 'daily@23:59', '0 3 * * 1-5', '*/30 * * * *', '0 3 * * SUN']) {
      assert.equal(readConfig({ UPDATE: text }).update, text);
    }
    assert.throws(
      () => readConfig({ UPDATE: 'daily@03:00' }, { demo: true }),
      /UPDATE is set, but the demo .* remove it, or leave out --demo\.$/,
    );
  });

  const wrong: ReadonlyArray<[Record<string, string>, RegExp]> = [
    ...['daily', 'daily@3:00', 'daily@24:00', '0 3 * *', '0 0 3 * * *', '61 * * * *', '@daily', '0 0 31 2 *', 'on'].map(
      (text): [Record<string, string>, RegExp] => [
        { UPDATE: text },
        /^UPDATE is "[^"]+": use daily@03:00, a cron expression such as "0 3 \* \* 1-5", or off\.$/,
      ],
    ),
    [{ PORT: 'http' }, /^PORT is "http": use a whole number from 0 to 65535\.$/],
    [{ PORT: '70000' }, /^PORT .*65535/],
    [{ PORT: '-1' }, /^PORT /],
    [
      { TRUST_PROXY: 'true' },
      /^TRUST_PROXY contains "true": use addresses or networks, .* or the number of proxies\.$/,
    ],
    [{ TRUST_PROXY: 'loopback' }, /^TRUST_PROXY /],
    [{ TRUST_PROXY: '10.0.0.0/33' }, /^TRUST_PROXY contains "10\.0\.0\.0\/33"/],
    [{ TRUST_PROXY: '10.0.0.1, 2' }, /^TRUST_PROXY contains "2"/],
    [{ TRUST_PROXY: '::1/129' }, /^TRUST_PROXY /],
    [{ TRUST_PROXY: '0.0.0.0/0' }, /^TRUST_PROXY contains "0\.0\.0\.0\/0"/],
    [{ TRUST_PROXY: '::/0' }, /^TRUST_PROXY /],
    [{ TRUST_PROXY: '10.0.0.256' }, /^TRUST_PROXY /],
    [{ TRUST_PROXY: '17' }, /^TRUST_PROXY is "17": use a whole number from 0 to 16\.$/],
    [
      { CORS_ORIGINS: '*' },
      /^CORS_ORIGINS contains "\*", which is not an origin: write it as https:\/\/app\.example\.com/,
    ],
    [{ CORS_ORIGINS: 'null' }, /^CORS_ORIGINS /],
    [{ CORS_ORIGINS: 'app.example.com' }, /^CORS_ORIGINS /],
    [
      { CORS_ORIGINS: 'https://a.example, https://b.example/' },
      /contains "https:\/\/b\.example\/".* https:\/\/b\.example,/,
    ],
    [{ CORS_ORIGINS: 'https://A.example' }, /write it as https:\/\/a\.example, without a path\.$/],
    [{ CORS_ORIGINS: 'ftp://a.example' }, /^CORS_ORIGINS /],
    [{ ALLOWED_HOSTS: 'https://a.example' }, /^ALLOWED_HOSTS contains "https:\/\/a\.example": use host names without/],
    [{ ALLOWED_HOSTS: 'a.example,b.example:443' }, /^ALLOWED_HOSTS contains "b\.example:443"/],
    [{ ALLOWED_HOSTS: 'a.example:80' }, /^ALLOWED_HOSTS /],
    [{ ALLOWED_HOSTS: 'a.example/' }, /^ALLOWED_HOSTS /],
    [{ ALLOWED_HOSTS: 'a.example\\' }, /^ALLOWED_HOSTS /],
    [{ ALLOWED_HOSTS: 'me@a.example' }, /^ALLOWED_HOSTS /],
    [{ ALLOWED_HOSTS: '*' }, /^ALLOWED_HOSTS /],
    [{ ALLOWED_HOSTS: '*.example.com' }, /^ALLOWED_HOSTS /],
    [{ ALLOWED_HOSTS: 'a b' }, /^ALLOWED_HOSTS /],
    [{ TERMS_URL: '/terms' }, /^TERMS_URL is not a valid address: write it in full/],
    [{ PRIVACY_URL: 'javascript:alert(1)' }, /^PRIVACY_URL has the wrong scheme/],
    [{ CONTACT_EMAIL: 'support' }, /^CONTACT_EMAIL is "support": use an address such as support@example\.com\.$/],
    [{ CONTACT_EMAIL: 'a@b?cc=c@d' }, /^CONTACT_EMAIL /],
    [{ SMTP_URL: 'https://mail.example.com', MAIL_FROM: 'a@b.c' }, /^SMTP_URL has the wrong scheme/],
    [{ SMTP_URL: 'smtps://user:secret@mail.example.com' }, /^MAIL_FROM is not set, but SMTP_URL is/],
    [{ SMTP_URL: 'smtp://mail.example.com', MAIL_FROM: 'Alerts' }, /^MAIL_FROM is "Alerts": use an address such as/],
    [{ CRAWLERS: 'all' }, /^CRAWLERS is "all": use one of pages, none\.$/],
    [{ PORT: '1e3' }, /^PORT /],
    [{ ADMIN_PORT: '1.5' }, /^ADMIN_PORT /],
    [{ WORKERS: '0' }, /^WORKERS .* from 1 to 256/],
    [{ SEARCH_ENGINE: 'elastic' }, /^SEARCH_ENGINE is "elastic": use one of memory, clickhouse\.$/],
    [{ SEARCH_ENGINE: 'postgres' }, /^SEARCH_ENGINE is postgres, which is not a search engine any more: use memory/],
    [{ SEARCH_ENGINE: 'clickhouse' }, /^CLICKHOUSE_URL is not set/],
    [{ SEARCH_ENGINE: 'clickhouse', CLICKHOUSE_URL: 'tcp://u:hunter2@node' }, /^CLICKHOUSE_URL is not valid/],
    [{ SEARCH_ENGINE: 'clickhouse', CLICKHOUSE_URL: 'http://u:hunter2@node:8123' }, /^CLICKHOUSE_URL would send/],
    [
      { SEARCH_ENGINE: 'clickhouse', CLICKHOUSE_URL: 'https://u:50%@node' },
      /^CLICKHOUSE_URL has a user name or password/,
    ],
    [{ DATABASE_REPLICA_URL: 'postgres://u:p@replica/x' }, /^DATABASE_REPLICA_URL .*DATABASE_URL is not/],
    [
      { DATABASE_URL: 'postgres://db/x', DATABASE_REPLICA_URL: 'replica' },
      /^DATABASE_REPLICA_URL is not a valid address/,
    ],
    [{ PARTIES: 'gleif=all' }, /^PARTIES is "all": use one of off, organisations, names\.$/],
    [{ JOURNAL_DAYS: '0' }, /^JOURNAL_DAYS is "0": use a whole number from 1 to 36500\.$/],
    [{ WEBHOOK_DAYS: '0' }, /^WEBHOOK_DAYS is "0": use a whole number from 1 to 36500\.$/],
    [{ WEBHOOK_DAYS: 'forever' }, /^WEBHOOK_DAYS /],
    [
      { EXPORT_FORMATS: 'parquet,xls' },
      /^EXPORT_FORMATS is "xls": use one of parquet, ndjson, csv, parties-parquet, parties-ndjson, parties-csv, bods\.$/,
    ],
    [{ EXPORT_BASE_URL: 'http://files.example.com' }, /^EXPORT_BASE_URL would send secrets over plain http/],
    [{ LOG_LEVEL: 'loud' }, /^LOG_LEVEL .*fatal, error, warn/],
    [{ PUBLIC_URL: 'api.example.com' }, /^PUBLIC_URL is not a valid address/],
    [{ PUBLIC_URL: 'ftp://api.example.com' }, /^PUBLIC_URL has the wrong scheme/],
    [{ DATABASE_URL: 'mysql://u:hunter2@db/x' }, /^DATABASE_URL has the wrong scheme: it must start with postgres:/],
    [{ DATABASE_URL: 'u:hunter2@db' }, /^DATABASE_URL /],
    [{ OIDC_ISSUER: 'http://login.example.com' }, /^OIDC_ISSUER .*plain http/],
    [{ OIDC_ISSUER: 'https://login.example.com' }, /^OIDC_CLIENT_ID is not set, but OIDC_ISSUER is/],
    [{ STRIPE_API_URL: 'http://stripe.example.com' }, /^STRIPE_API_URL .*plain http/],
    [{ PATIENCE: '0' }, /^PATIENCE is "0": use a whole number from 1 to 100/],
    [
      { STRIPE_PRICE_PRO: 'price_a', STRIPE_PRICE_BUSINESS: 'price_a' },
      /^STRIPE_PRICE_BUSINESS .*price_a.*different price/,
    ],
    [
      { STRIPE_PRICE_PRO: 'price_a,price_b', STRIPE_PRICE_BUSINESS: 'price_c,price_b' },
      /^STRIPE_PRICE_BUSINESS .*price_b/,
    ],
  ];
  for (const [environment, message] of wrong) {
    test(`${JSON.stringify(environment)} is rejected in one sentence that names the variable and the fix`, () => {
      assert.throws(
        () => readConfig(environment),
        (error) => {
          assert.ok(error instanceof ConfigError);
          assert.match(error.message, message);
          assert.ok(!error.message.includes('hunter2'), 'a secret is in the message');
          assert.ok(!error.message.includes('\n'));
          return true;
        },
      );
    });
  }

  test('the demo is refused on anything but loopback', () => {
    for (const HOST of [
      '0.0.0.0',
      '::',
      '192.168.1.5',
      'example.com',
      '127.example.com',
      '127.0.0.1.example.com',
      '1270.0.0.1',
    ]) {
      assert.throws(() => readConfig({ HOST }, { demo: true }), /^ConfigError: HOST|HOST is/);
      assert.equal(readConfig({ HOST }).host, HOST);
    }
    for (const environment of [{ PUBLIC_URL: 'https://demo.example.com' }, { ALLOWED_HOSTS: 'demo.example.com' }]) {
      assert.throws(() => readConfig(environment, { demo: true }), /the demo answers loopback names only: remove it/);
    }
    assert.ok(readConfig({ PUBLIC_URL: 'http://localhost:3000' }, { demo: true }));
    for (const HOST of ['127.0.0.1', 'localhost', '::1']) assert.equal(readConfig({ HOST }, { demo: true }).demo, true);
  });

  test('PATIENCE multiplies all time limits', () => {
    assert.deepEqual(readConfig({}).timeLimits, timeLimits);
    const patient = readConfig({ PATIENCE: '10' }).timeLimits;
    for (const [name, ms] of Object.entries(timeLimits)) assert.equal(Reflect.get(patient, name), 10 * ms, name);
  });

  test('.env.example lists every variable with its default, and no other', () => {
    const text = readFileSync(new URL('../.env.example', import.meta.url), 'utf8');
    const listed = [...text.matchAll(/^#?([A-Z_]+)=/gm)].map(([, name]) => name);
    const source = readFileSync(new URL('../src/base/config/config.ts', import.meta.url), 'utf8');
    const names = source
      .matchAll(/'([A-Z][A-Z_]+)'|environment\.([A-Z_]+)/g)
      .map(([, quoted, field]) => quoted ?? field);
    assert.deepEqual(listed.toSorted(), [...new Set(names)].toSorted());
    assert.deepEqual(readConfig(parseEnv(text)), readConfig({}));
  });
});
