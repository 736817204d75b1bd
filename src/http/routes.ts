import type { ErrorLog } from '../observability/error-log.ts';
import type { AppServices } from './app-services.ts';
import type { App } from './app-type.ts';
import type { DataGate } from './charged/route.ts';
import type { Contract } from './contract.ts';
import { registerAccount, registerMe } from './routes/account.ts';
import { registerApiKeys } from './routes/api-keys.ts';
import { registerBilling } from './routes/billing.ts';
import { registerChanges } from './routes/changes.ts';
import { registerCountries } from './routes/countries.ts';
import { registerElfCodes } from './routes/elf-codes.ts';
import { registerEntities } from './routes/entities.ts';
import { registerExportFiles } from './routes/export-files.ts';
import { registerExports } from './routes/exports.ts';
import { registerHealth } from './routes/health.ts';
import { registerIsicCodes } from './routes/isic-codes.ts';
import { registerMatch } from './routes/match.ts';
import { registerMcp } from './routes/mcp.ts';
import { registerMonitors } from './routes/monitors.ts';
import { registerOpenApi } from './routes/openapi.ts';
import { registerParties } from './routes/parties.ts';
import { registerPlans } from './routes/plans.ts';
import { registerReconcileLinks } from './routes/reconcile/links.ts';
import { registerReconcile } from './routes/reconcile/reconcile.ts';
import { registerWebhook } from './routes/webhook.ts';
import { registerWebhookEndpoints } from './routes/webhook-endpoints.ts';
import { requireSession } from './session.ts';
import type { TransportLimits } from './transport/limits.ts';

/** Every route of the API. The order is that of the contract. */
export function registerRoutes(
  app: App,
  services: AppServices,
  limits: TransportLimits,
  contract: () => Contract,
  gate: DataGate,
  errorLog: Pick<ErrorLog, 'report'>,
): void {
  registerCountries(app, services, gate);
  registerEntities(app, services, gate);
  registerParties(app, services, gate);
  registerIsicCodes(app, services, gate);
  registerElfCodes(app, services, gate);
  registerMatch(app, services, gate);
  registerChanges(app, services, gate);
  registerExports(app, services, gate);
  registerExportFiles(app, services, gate, limits);

  const sessionHook = requireSession(services);
  registerAccount(app, services, sessionHook);
  registerMe(app, sessionHook);
  registerApiKeys(app, services, sessionHook);
  registerReconcileLinks(app, services, sessionHook);
  registerMonitors(app, services, gate, sessionHook);
  registerWebhookEndpoints(app, services, gate, sessionHook);
  registerBilling(app, services, sessionHook);

  registerWebhook(app, services);
  registerHealth(app, services);
  registerPlans(app);
  registerOpenApi(app, contract);

  registerMcp(app, services, gate, errorLog.report);
  registerReconcile(app, services, gate);
}
