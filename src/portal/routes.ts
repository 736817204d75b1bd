import type { VisitorLimits } from '../base/requests/visitor-limit.ts';
import type { Routes } from '../http/app.ts';
import { setOperator } from './parts/layout.ts';
import { createPreview, previewLimits, recordLimits } from './preview.ts';
import { createAccountPages } from './routes/account-pages.ts';
import { registerAssets } from './routes/assets.ts';
import { registerAuth } from './routes/auth.ts';
import { registerDashboard } from './routes/dashboard.ts';
import { registerDocs } from './routes/docs.ts';
import { registerDownload } from './routes/download.ts';
import { registerEntity } from './routes/entity.ts';
import { registerExplore } from './routes/explore.ts';
import { registerExportDownload } from './routes/export-download.ts';
import { registerHome } from './routes/home.ts';
import { registerMatchPage } from './routes/match.ts';
import { registerMonitorPages } from './routes/monitors.ts';
import { registerPlans } from './routes/plans.ts';
import { registerRegisterPages } from './routes/registers.ts';
import { registerTryIt } from './routes/try-it.ts';
import { registerWebhookPages } from './routes/webhooks.ts';
import { registerWellKnown } from './routes/well-known.ts';
import type { PageServices } from './services.ts';

/** What visitors who are not signed in may do. */
export interface PageLimits {
  readonly searches?: VisitorLimits;
  readonly records?: VisitorLimits;
}

/**
 * The portal: server-rendered pages on the same server as the API, with one stylesheet, no framework and no build. This
 * folder owns routes (`routes/`), the HTML of large pages (`pages/`), what pages share (`parts/`), and how values are written on them
 * (`text/`). It owns no data and reads it only through the services that answer the API. Every action works without
 * JavaScript.
 */
export function registerPages(
  app: Routes,
  services: PageServices,
  { searches = previewLimits, records = recordLimits }: PageLimits = {},
): void {
  setOperator(services.operator);
  // Home and explore share one preview, and so one limit.
  const preview = createPreview(services, searches);
  const pages = createAccountPages(app, services);
  registerHome(app, services, preview);
  registerExplore(app, services, preview);
  registerDownload(app, services);
  registerMatchPage(app, services);
  registerEntity(app, services, records);
  registerDashboard(app, services, pages);
  registerPlans(services, pages);
  registerExportDownload(services, pages);
  registerWebhookPages(app, services, pages);
  registerMonitorPages(app, services, pages);
  registerRegisterPages(app, services);
  registerDocs(app, services);
  registerTryIt(app, services);
  registerAuth(app, services);
  registerWellKnown(app, services);
  registerAssets(app);
}
