import type { VisitorLimits } from '../base/requests/visitor-limit.ts';
import type { Routes } from '../http/app.ts';
import { registerAlerts } from './pages/alerts.ts';
import { registerAssets } from './pages/assets.ts';
import { registerAuth } from './pages/auth.ts';
import { registerCoverage } from './pages/coverage.ts';
import { registerDocs } from './pages/docs.ts';
import { registerDownload } from './pages/download.ts';
import { registerExplore } from './pages/explore.ts';
import { registerExportDownload } from './pages/export-download.ts';
import { registerHome } from './pages/home.ts';
import { registerPlans } from './pages/plans.ts';
import { registerStatus } from './pages/status.ts';
import { registerTryIt } from './pages/try-it.ts';
import { registerWellKnown } from './pages/well-known.ts';
import { setOperator } from './parts/layout.ts';
import { createPreview, createSuggest, previewLimits, recordLimits } from './preview.ts';
import { registerEntity } from './record/page.ts';
import { createAccountPages } from './routes/account-pages.ts';
import { registerDashboard } from './routes/dashboard.ts';
import { registerMatchPage } from './routes/match.ts';
import { registerMonitorPages } from './routes/monitors.ts';
import { registerWebhookPages } from './routes/webhooks.ts';
import type { PageServices } from './services.ts';

/** What visitors who are not signed in may do. */
export interface PageLimits {
  readonly searches?: VisitorLimits;
  readonly records?: VisitorLimits;
}

/**
 * The portal: server-rendered pages on the same server as the API, with one stylesheet, no framework and no build. This
 * folder owns its pages (`pages/`, each with its route and its view; `record/` for the largest), what pages share (`parts/`), and how
 * values are written on them (`text/`). It owns no data and reads it only through the services that answer the API. Every action works without
 * JavaScript.
 */
export function registerPages(
  app: Routes,
  services: PageServices,
  { searches = previewLimits, records = recordLimits }: PageLimits = {},
): void {
  setOperator(services.operator, services.publicUrl);
  // Home and explore share them, and so their limits.
  const preview = createPreview(services, searches);
  const suggest = createSuggest(services);
  const pages = createAccountPages(app, services);
  registerHome(app, services, preview, suggest);
  registerExplore(app, services, preview, suggest);
  registerDownload(app, services);
  registerMatchPage(app, services);
  registerEntity(app, services, records);
  registerDashboard(app, services, pages);
  registerPlans(app, services, pages);
  registerExportDownload(services, pages);
  registerWebhookPages(app, services, pages);
  registerMonitorPages(app, services, pages);
  registerAlerts(app, services);
  registerCoverage(app, services);
  registerStatus(app, services);
  registerDocs(app, services);
  registerTryIt(app, services);
  registerAuth(app, services);
  registerWellKnown(app, services);
  registerAssets(app);
}
