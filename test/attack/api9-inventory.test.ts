import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { variables } from '../../src/config/config.ts';
import { startService } from '../harness/service.ts';

/**
 * Pages and files for browsers, and the endpoints of other protocols, which are not part of the contract. A new route must be an operation of the contract or
 * be listed here.
 */
const UNDOCUMENTED = [
  /^\/$/,
  /^\/(explore|explore\/(suggest|download)|coverage|status)$/,
  /^\/match(\/(rows|all|download))?$/,
  /^\/entities\/:id(\/json|\/proof)?$/,
  /^\/dashboard(\/(monitors(\/(watch|:id(\/(companies|feed|delete))?))?|(keys|links)(\/:id\/(revoke|rotate))?|webhooks(\/:id(\/delete)?)?|plans\/:plan|checkout|billing))?$/,
  // `/dashboard/exports/:generation/*`, as Fastify prints it.
  /^\/dashboard\*$/,
  /^\/docs(\/(reference|authentication|classifications|client|exports|fields|http|legal-forms|limits|matching|mcp|monitors|natural-persons|openrefine|operations|paging|parties|provenance|quick-start|sending-webhooks|status|sync|versioning|webhooks))?$/,
  /^\/docs\/reference\/(search|records|parties|match|changes|classifications|exports|monitors|monitor-changes|webhooks|deliveries|account|keys|billing|service)$/,
  /^\/docs\/try\/:operation$/,
  /^\/docs\/registers(\/[\w-]+)?$/,
  /^\/docs\/errors(\/:code)?$/,
  /^\/feeds\/:feed$/,
  /^\/auth\/(login|callback|logout)$/,
  // The Model Context Protocol describes it.
  /^\/mcp$/,
  // The Reconciliation Service API describes them.
  /^\/api\/v1\/reconcile(\/l\/:link)?(\/1\.0)?(\/:country)?(\/(match|extend|extend\/propose|propose|preview|suggest\/(entity|property|type)))?$/,
  /^\/(llms\.txt|robots\.txt|\.well-known\/security\.txt)$/,
  /^\/assets\/[\w-]+\.(css|js|svg|webp)$/,
];

/** Paths that scanners try first, and paths of the demo and of debuggers. */
const ABSENT = [
  '/api',
  '/api/',
  '/api/v1',
  '/api/v1/',
  '/api/v0/plans',
  '/api/v2/plans',
  '/api/beta/plans',
  '/v1/plans',
  '/openapi.json',
  '/swagger',
  '/swagger.json',
  '/swagger-ui',
  '/api-docs',
  '/graphql',
  '/metrics',
  '/api/v1/metrics',
  '/admin',
  '/api/v1/admin',
  '/api/v1/users',
  '/api/v1/accounts',
  '/api/v1/sessions',
  '/api/v1/events',
  '/api/v1/billing/events',
  '/debug',
  '/debug/pprof',
  '/actuator',
  '/server-status',
  '/health',
  '/.env',
  '/.git/config',
  '/.npmrc',
  '/package.json',
  '/package-lock.json',
  '/src/main.ts',
  '/data/accounts.db',
  '/demo.json',
  '/demo/idp/auth',
  '/demo/idp/.well-known/openid-configuration',
  '/demo/payments/v1/customers',
  '/demo/payments/portal/x',
  '/test',
];

/** API9:2023 Improper Inventory Management: unknown routes, old versions, and parts of the demo in production. */
describe('API9 inventory', () => {
  test('every route is in the contract or in the list of pages', async () => {
    await using service = await startService('sqlite');
    const contract = JSON.parse((await service.client.get('/api/v1/openapi.json')).text);
    const documented = new Set(Object.keys(contract.paths).map((path) => printed(path)));
    const routes = readRoutes(service.app.printRoutes({ commonPrefix: false }));
    assert.ok(routes.length > 20, 'the routes could not be read');
    for (const route of routes) {
      const isPage = UNDOCUMENTED.some((pattern) => pattern.test(route));
      assert.ok(documented.has(route) || isPage, `${route} is neither in the contract nor in the list of pages`);
    }
    for (const path of documented) assert.ok(routes.includes(path), `${path} is in the contract but does not exist`);
  });

  test('there is no other version, source file, demo provider or debugging tool', async () => {
    await using service = await startService('sqlite');
    for (const path of ABSENT) {
      for (const method of ['GET', 'POST']) {
        const { status, body } = await service.client.request(method, path);
        assert.deepEqual([status, body?.error?.code], [404, 'not_found'], `${method} ${path}`);
      }
    }
  });

  test('no environment variable turns a check off', () => {
    for (const name of Object.keys(variables)) assert.doesNotMatch(name, /DEBUG|INSECURE|SKIP|DISABLE|BYPASS|NO_AUTH/);
  });
});

/** A path of the contract as the router prints it: without the parameter before a wildcard. */
function printed(path: string): string {
  return path.replace(/\/\{\w+\}\/\{path\}$/, '*').replace(/\{(\w+)\}/g, ':$1');
}

/** Reads the router's printed tree: one route per line, indented below its prefix. */
function readRoutes(tree: string): string[] {
  const parts: string[] = [];
  const routes: string[] = [];
  for (const line of tree.split('\n')) {
    const [, indent = '', path = '', methods] = /^([\s│├└─]*)([^\s(]+)(?: \(([A-Z, ]+)\))?/u.exec(line) ?? [];
    if (path === '') continue;
    const depth = indent.length / 4;
    parts.splice(depth - 1, parts.length, path);
    if (methods !== undefined) routes.push(parts.join(''));
  }
  return routes;
}
