import type { ErrorLog } from '../base/observability/error-log.ts';
import type { Routes } from '../http/app.ts';
import type { TransportLimits } from '../http/limits.ts';
import type { AppServices } from './app-services.ts';
import type { Charging } from './charged/route.ts';
import type { Contract } from './contract.ts';
import { registerAccount } from './routes/account.ts';
import { registerCheckout, registerPortal } from './routes/billing.ts';
import { registerChanges } from './routes/changes.ts';
import { registerCountries } from './routes/countries.ts';
import { registerElfCodes } from './routes/elf-codes.ts';
import { registerEntities } from './routes/entities.ts';
import { registerExportFiles } from './routes/export-files.ts';
import { registerExports } from './routes/exports.ts';
import { registerHealth } from './routes/health.ts';
import { registerIsicCodes } from './routes/isic-codes.ts';
import { registerMatch, registerMatchList } from './routes/match.ts';
import { registerMcp } from './routes/mcp.ts';
import { registerMonitors } from './routes/monitors.ts';
import { registerNamedSecrets, registerRevocations } from './routes/named-secrets.ts';
import { registerOpenApi } from './routes/openapi.ts';
import { registerParties } from './routes/parties.ts';
import { registerPlans } from './routes/plans.ts';
import { registerReconcile } from './routes/reconcile/reconcile.ts';
import { registerWebhook } from './routes/webhook.ts';
import { registerWebhookEndpoints } from './routes/webhook-endpoints.ts';
import { requireSession } from './session.ts';

/** Every route of the API. The order is that of the contract. */
export function registerRoutes(
  app: Routes,
  services: AppServices,
  limits: TransportLimits,
  contract: () => Contract,
  charging: Charging,
  errorLog: Pick<ErrorLog, 'report'>,
): void {
  const sessionStep = requireSession(services);
  const account = app.scope({ before: [sessionStep] });

  registerCountries(app, services, charging);
  registerEntities(app, services, charging);
  registerParties(app, services, charging);
  registerIsicCodes(app, services, charging);
  registerElfCodes(app, services, charging);
  registerMatch(app, services, charging);
  registerChanges(app, services, charging);
  registerExports(app, services, charging);
  registerExportFiles(app, services, charging, limits);

  registerAccount(account, services);
  registerNamedSecrets(account, services);
  registerCheckout(account, services);
  registerHealth(app, services);
  registerPlans(app);
  registerOpenApi(app, contract);

  registerMatchList(app, services, charging);
  registerRevocations(account, services);
  registerMonitors(app, services, charging, sessionStep);
  registerWebhookEndpoints(app, services, charging, sessionStep);
  registerPortal(account, services);
  registerWebhook(app, services);

  registerMcp(app, services, charging, errorLog.report);
  registerReconcile(app, services, charging);
}
