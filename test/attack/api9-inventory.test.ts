import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { variables } from '../../src/config.ts';
import { startService } from '../harness/service.ts';

/**
 * Pages and files for browsers: not in the contract, on purpose. A new route is either an operation of the contract or is
 * named here by whoever adds it.
 */
const UNDOCUMENTED = [
  /^\/$/,
  /^\/(explore|coverage|status)$/,
  /^\/entities\/:id$/,
  /^\/dashboard(\/(keys(\/:id\/revoke)?|checkout|billing))?$/,
  /^\/docs(\/(reference|authentication|limits|paging|provenance|quick-start|versioning))?$/,
  /^\/docs\/scalar\.js$/,
  /^\/docs\/errors(\/:code)?$/,
  /^\/auth\/(login|callback|logout)$/,
  /^\/assets\/[\w-]+\.(css|js|svg)$/,
];

/** What scanners look for first, and what the demo or a debugger would have. */
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

/** API9:2023 Improper Inventory Management: routes nobody knows of, old versions, stand-ins left in. */
describe('API9 inventory', () => {
  test('every route is in the contract, or is a page that is left out of it on purpose', async () => {
    await using service = await startService('sqlite');
    const contract = JSON.parse((await service.client.get('/api/v1/openapi.json')).text);
    const documented = new Set(Object.keys(contract.paths).map((path) => path.replace(/\{(\w+)\}/g, ':$1')));
    const routes = readRoutes(service.app.printRoutes({ commonPrefix: false }));
    assert.ok(routes.length > 20, 'the routes were not read');
    for (const route of routes) {
      const isPage = UNDOCUMENTED.some((pattern) => pattern.test(route));
      assert.ok(documented.has(route) || isPage, `${route} is neither documented nor left out on purpose`);
    }
    for (const path of documented) assert.ok(routes.includes(path), `${path} is documented and not there`);
  });

  test('nothing else is there: no other version, no file of ours, no stand-in of the demo, no tool', async () => {
    await using service = await startService('sqlite');
    for (const path of ABSENT) {
      for (const method of ['GET', 'POST']) {
        const { status, body } = await service.client.request(method, path);
        assert.deepEqual([status, body?.error?.code], [404, 'not_found'], `${method} ${path}`);
      }
    }
  });

  test('no switch of the environment turns a check off', () => {
    for (const name of Object.keys(variables)) assert.doesNotMatch(name, /DEBUG|INSECURE|SKIP|DISABLE|BYPASS|NO_AUTH/);
  });
});

/** The router's own picture of its routes: one a line, indented under what they begin with. */
function readRoutes(picture: string): string[] {
  const parts: string[] = [];
  const routes: string[] = [];
  for (const line of picture.split('\n')) {
    const [, indent = '', path = '', methods] = /^([\s│├└─]*)([^\s(]+)(?: \(([A-Z, ]+)\))?/u.exec(line) ?? [];
    if (path === '') continue;
    const depth = indent.length / 4;
    parts.splice(depth - 1, parts.length, path);
    if (methods !== undefined) routes.push(parts.join(''));
  }
  return routes;
}
