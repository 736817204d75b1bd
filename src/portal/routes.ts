import type { VisitorLimits } from '../base/requests/visitor-limit.ts';
import type { Routes } from '../http/app.ts';
import { createAccountPages } from './account.ts';
import { registerAlerts } from './pages/alerts.ts';
import { registerAssets, registerWellKnown } from './pages/assets.ts';
import { registerAuth } from './pages/auth.ts';
import { registerCoverage } from './pages/coverage.ts';
import { registerDashboard } from './pages/dashboard.ts';
import { registerDocs } from './pages/docs.ts';
import { registerDownload } from './pages/download.ts';
import { registerExplore } from './pages/explore.ts';
import { registerExportDownload } from './pages/exports.ts';
import { registerHome } from './pages/home.ts';
import { registerMatchPage } from './pages/match.ts';
import { registerMonitorPages } from './pages/monitors.ts';
import { registerStatus } from './pages/status.ts';
import { registerTryIt } from './pages/try-it.ts';
import { registerWebhookPages } from './pages/webhooks.ts';
import { setOperator } from './parts/layout.ts';
import { previewLimits, recordLimits } from './preview.ts';
import { registerEntity } from './record/page.ts';
import type { PageServices } from './services.ts';

/** What visitors who are not signed in may do. */
export interface PageLimits {
  readonly searches?: VisitorLimits;
  readonly records?: VisitorLimits;
}

/**
 * The portal: server-rendered pages on the same server as the API, with one stylesheet, no framework and no build. This
 * folder owns its pages (`pages/`, each with its route and its view; `record/` for the largest), what pages share (`parts/`), and how pages
 * write values (`text/`). It owns no data, and reads data only through the services that answer the API. Every action works without
 * JavaScript.
 */
export function registerPages(
  app: Routes,
  services: PageServices,
  { searches = previewLimits, records = recordLimits }: PageLimits = {},
): void {
  setOperator(services.operator, services.publicUrl);
  const pages = createAccountPages(app, services);
  registerHome(app, services);
  registerExplore(app, services, searches);
  registerDownload(services, pages);
  registerMatchPage(app, services, pages);
  registerEntity(app, services, records);
  registerDashboard(app, services, pages);
  registerExportDownload(services, pages);
  registerWebhookPages(app, services, pages);
  registerMonitorPages(app, services, pages);
  registerAlerts(app, services);
  registerCoverage(app, services);
  registerStatus(app, services);
  registerDocs(app, services);
  registerTryIt(services, pages);
  registerAuth(app, services);
  registerWellKnown(app, services);
  registerAssets(app);
}
