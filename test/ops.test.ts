import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { parser } from '@prometheus-io/lezer-promql';
import { parse } from 'yaml';
import { listenAdmin } from '../src/base/observability/metrics.ts';
import { recordSuccess } from '../src/registry/records/imports/store.ts';
import { importCompanies } from './harness/entities.ts';
import { speakRaw } from './harness/raw.ts';
import { startService } from './harness/service.ts';
import { company } from './registry/gb-file.ts';

/** Checks the alert rules and the dashboard against the real metrics, with the official PromQL grammar. */
const read = (path: string) => readFileSync(new URL(`../ops/${path}`, import.meta.url), 'utf8');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string };
}
const rules: Rule[] = parse(read('alerts.yaml')).groups.flatMap(({ rules }: { rules: Rule[] }) => rules);

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets: readonly { readonly expr: string; readonly refId: string }[];
}
const dashboard: { panels: Panel[]; templating: { list: { name: string }[] } } = JSON.parse(read('dashboard.json'));

const expressions = [
  ...rules.map(({ alert, expr }) => ({ source: alert, expr })),
  ...dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ source: title, expr }))),
].map(({ source, expr }) => ({ source, expr: expr.replaceAll('$instance', '.*') }));

/** Every node of the syntax tree, with its text. */
function walk(expr: string): { name: string; text: string; isError: boolean }[] {
  const nodes: { name: string; text: string; isError: boolean }[] = [];
  parser.parse(expr).iterate({
    enter: ({ name, from, to, type }) => void nodes.push({ name, text: expr.slice(from, to), isError: type.isError }),
  });
  return nodes;
}

/** Metrics that Prometheus itself creates for every target. */
const BUILT_IN_METRICS = ['up'];

/** Of forms and of protocols with a contract of their own. */
const OTHER_POSTS = [
  '/mcp',
  '/api/v1/reconcile',
  '/match',
  '/match/rows',
  '/dashboard/monitors',
  '/dashboard/webhooks',
];

test('nginx passes the largest body that a route takes, and no route takes a larger one', async () => {
  const [, megabytes] = /^\s*client_max_body_size (\d+)m;/m.exec(read('nginx.conf')) ?? [];
  const limit = Number(megabytes) * 1024 * 1024;
  await using service = await startService('sqlite');
  const largest = await service.client.request('POST', '/api/v1/match', {
    headers: { 'content-type': 'application/json' },
    body: '{}'.padEnd(limit, ' '),
  });
  assert.equal(largest.status, 400, largest.text);

  const { paths } = (await service.client.get('/api/v1/openapi.json')).body as {
    paths: Record<string, Record<string, { requestBody?: object }>>;
  };
  const routes = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { requestBody }]) => (requestBody ? [[method, path] as const] : [])),
  );
  assert.ok(routes.length > 8);
  const key = `x-api-key: ${await service.findKey()}`;
  const { headers: session } = await service.signIn();
  const cookie = `cookie: ${session.cookie}\r\norigin: ${session.origin}`;
  for (const [method, path] of [...routes, ...OTHER_POSTS.map((path) => ['post', path] as const)]) {
    const types = ['application/json', 'application/x-www-form-urlencoded'];
    const replies = [key, cookie].flatMap((credential) =>
      types.map((type) => {
        const head = `${method.toUpperCase()} ${path.replace(/\{\w+\}/, crypto.randomUUID())} HTTP/1.1\r\nhost: x\r\n${credential}`;
        const bytes = `${head}\r\ncontent-type: ${type}\r\ncontent-length: ${limit + 1}\r\n\r\n`;
        return speakRaw(service.url, bytes, { timeoutMs: 10_000, quietMs: 50 });
      }),
    );
    const statuses = (await Promise.all(replies)).map(([reply]) => reply?.status ?? 0);
    assert.ok(statuses.includes(413), `${method} ${path}: ${statuses}`);
  }
});

describe('ops: alerts and dashboard', () => {
  test('every expression is well formed', () => {
    assert.ok(expressions.length > 20);
    for (const { source, expr } of expressions) {
      const broken = walk(expr).find(({ isError }) => isError);
      assert.equal(broken, undefined, `${source}: ${expr}`);
    }
    assert.ok(
      walk('sum(rate(x[5m])').some(({ isError }) => isError),
      'the parser accepts a broken expression',
    );
  });

  test('every metric and label they use is exposed on the admin port', async () => {
    await using service = await startService('sqlite');
    const admin = await listenAdmin(service.services.metrics.render, 0);
    try {
      await service.client.get('/api/v1/plans');
      await importCompanies(service, [company('00000001', 'FIRST LTD')]);
      await service.services.registryDb.run("UPDATE files SET as_of = '2026-03-01'");
      await recordSuccess(service.services.registryDb, 'gb', service.clock.now());
      const text = await (await fetch(admin.url)).text();
      const exposed = new Set([...text.matchAll(/^([a-z_]\w*)(?:\{| )/gm)].map(([, name]) => name));
      const labels = new Set([...text.matchAll(/[{,](\w+)="/g)].map(([, name]) => name));
      for (const { source, expr } of expressions) {
        const nodes = walk(expr);
        const names = nodes.filter(({ name }) => name === 'Identifier').map(({ text }) => text);
        assert.ok(names.length > 0, source);
        for (const name of names) {
          assert.ok(exposed.has(name) || BUILT_IN_METRICS.includes(name), `${source}: there is no metric ${name}`);
        }
        for (const { text } of nodes.filter(({ name }) => name === 'LabelName')) {
          assert.ok(labels.has(text) || ['job', 'instance'].includes(text), `${source}: there is no label ${text}`);
        }
      }
    } finally {
      await admin[Symbol.asyncDispose]();
    }
  });

  test('every route they name is in the contract', () => {
    const contract = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'));
    const routes = Object.keys(contract.paths).map((path) => path.replace(/\{(\w+)\}/g, ':$1'));
    for (const { source, expr } of expressions) {
      for (const [, , pattern = ''] of expr.matchAll(/route(=~|!?=)"([^"]*)"/g)) {
        const alternatives = /^(.*)\((.*)\)$/.exec(pattern);
        const named = alternatives
          ? (alternatives[2] ?? '').split('|').map((part) => alternatives[1] + part)
          : [pattern];
        for (const route of named) assert.ok(routes.includes(route), `${source}: there is no route ${route}`);
      }
    }
  });

  test('every alert has a unique name, a severity, a duration, a summary and instructions', () => {
    for (const { alert, labels, annotations, for: since } of rules) {
      assert.match(alert, /^Firmament[A-Z]\w+$/);
      assert.match(labels.severity, /^(critical|warning)$/, alert);
      assert.match(since, /^\d+[mh]$/, alert);
      assert.match(annotations.summary, /\.$/, alert);
      assert.ok(annotations.description.length > 80, `${alert} does not say what to do`);
    }
    assert.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length);
    const operations = readFileSync(new URL('../docs/operations.md', import.meta.url), 'utf8');
    for (const { alert } of rules) assert.ok(operations.includes(alert), `${alert} is not in docs/operations.md`);
  });

  test('panels have unique titles and do not overlap', () => {
    const { panels, templating } = dashboard;
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
    assert.equal(new Set(panels.map(({ title }) => title)).size, panels.length);
    assert.deepEqual(
      templating.list.map(({ name }) => name),
      ['datasource', 'instance'],
    );
    const taken = new Set<string>();
    for (const { title, gridPos } of panels) {
      assert.ok(gridPos.x + gridPos.w <= 24, title);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          assert.ok(!taken.has(`${x} ${y}`), `${title} covers another panel`);
          taken.add(`${x} ${y}`);
        }
      }
    }
  });
});
