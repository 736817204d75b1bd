import type { App } from '../../src/http/app.ts';

/** Every route of the running app, as `POST /dashboard/keys/:id/revoke`. Tests that use this list notice new routes. */
export function listRoutes(app: App): string[] {
  return app.routes.map(({ method, url }) => `${method} ${url}`);
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
