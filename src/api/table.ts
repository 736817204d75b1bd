import type { UserOperation } from '../accounts/charging/operation.ts';
import type { Routes } from '../http/app.ts';
import { changes } from './changes.ts';
import { classifications } from './classifications.ts';
import { countries } from './countries.ts';
import { entities } from './entities.ts';
import { exports } from './exports.ts';
import { health } from './health.ts';
import { openApi } from './openapi.ts';
import { parties } from './parties.ts';
import { plans } from './plans.ts';
import { registerAccount } from './routes/account.ts';
import { registerCheckout, registerPortal } from './routes/billing.ts';
import { registerExportFiles } from './routes/export-files.ts';
import { matchOne, registerMatchList } from './routes/match.ts';
import { registerMcp } from './routes/mcp.ts';
import { registerMonitors } from './routes/monitors.ts';
import { registerNamedSecrets, registerRevocations } from './routes/named-secrets.ts';
import { registerReconcile } from './routes/reconcile/reconcile.ts';
import { registerWebhook } from './routes/webhook.ts';
import { registerWebhookEndpoints } from './routes/webhook-endpoints.ts';
import type { Api, Row } from './serving/operation.ts';
import { requireSession } from './serving/session.ts';

/** Operations that are not rows yet: a function adds their routes. */
type Register = (app: Routes, api: Api) => void;

/** Every operation of the API. The order is that of the contract. */
const operations: readonly (Row | Register)[] = [
  countries,
  ...entities,
  ...parties,
  ...classifications,
  matchOne,
  ...changes,
  exports,
  (app, api) => registerExportFiles(app, api, api, api.limits),
  (app, api) => registerAccount(app.scope({ before: [requireSession(api)] }), api),
  (app, api) => registerNamedSecrets(app.scope({ before: [requireSession(api)] }), api),
  (app, api) => registerCheckout(app.scope({ before: [requireSession(api)] }), api),
  ...health,
  plans,
  openApi,
  (app, api) => registerMatchList(app, api, api),
  (app, api) => registerRevocations(app.scope({ before: [requireSession(api)] }), api),
  (app, api) => registerMonitors(app, api, api, requireSession(api)),
  (app, api) => registerWebhookEndpoints(app, api, api, requireSession(api)),
  (app, api) => registerPortal(app.scope({ before: [requireSession(api)] }), api),
  registerWebhook,
  (app, api) => registerMcp(app, api, api, api.reportFailure),
  (app, api) => registerReconcile(app, api, api),
];

/** Adds a route for each operation. Returns those that pages can run for a signed-in user, by id. */
export function addOperations(app: Routes, api: Api): ReadonlyMap<string, UserOperation> {
  const forUsers = new Map<string, UserOperation>();
  for (const row of operations) {
    if (typeof row === 'function') {
      row(app, api);
      continue;
    }
    const { serve, ...route } = row;
    const { forUser, ...served } = serve(api);
    app.route({ ...route, ...served, operation: row });
    if (forUser !== undefined) forUsers.set(row.operationId, forUser);
  }
  return forUsers;
}
