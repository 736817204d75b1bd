import type { App } from '../../src/http/app-type.ts';

/** Every route of the running app, as `POST /dashboard/keys/:id/revoke`. Tests that use this list notice new routes. */
export function listRoutes(app: App): string[] {
  const path: string[] = [];
  const routes: string[] = [];
  // Fastify's tree: each level is indented by four characters and continues the path of its parent.
  for (const line of app.printRoutes({ commonPrefix: false }).split('\n')) {
    const [, indent = '', segment = '', methods = ''] = /^([\s│├└─]*)(\S+)(?: \((.*)\))?$/.exec(line) ?? [];
    if (segment === '') continue;
    path.length = indent.length / 4 - 1;
    path.push(segment);
    for (const method of methods.split(', ')) {
      if (method !== '') routes.push(`${method} ${complete(path.join(''))}`);
    }
  }
  return routes;
}

/** Fastify prints a path that ends in a wildcard without the parameter before it. */
function complete(path: string): string {
  if (path === '/dashboard*') return '/dashboard/exports/:generation/*';
  return path === '/api/v1/exports*' ? '/api/v1/exports/:generation/*' : path;
}

/** The routes that may change something. */
export function listUnsafeRoutes(app: App): string[] {
  return listRoutes(app).filter((route) => !/^(?:GET|HEAD|OPTIONS) /.test(route) && !isReconciliation(route));
}

/**
 * The endpoints of the Reconciliation Service API: they take an API key or a link, change nothing and show the same companies to all. They
 * are a dozen endpoints under eight addresses each; test/reconciliation/ sends them everything else.
 */
export function isReconciliation(route: string): boolean {
  return /^(?:\w+ )?\/api\/v1\/reconcile(?:\/|$)/.test(route);
}
