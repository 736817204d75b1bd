import type { FastifyInstance } from 'fastify';
import type { VisitorLimits } from '../core/requests/visitor-limit.ts';
import type { Operator } from '../core/site.ts';
import { setOperator } from './parts/operator-links.ts';
import { createPreview, createSuggest, previewLimits, recordLimits } from './preview.ts';
import { registerAssets } from './routes/assets.ts';
import { type AuthServices, registerAuth } from './routes/auth.ts';
import { registerDashboard } from './routes/dashboard.ts';
import { type DocsServices, registerDocs } from './routes/docs.ts';
import { type DownloadServices, registerDownload } from './routes/download.ts';
import { type EntityPageServices, registerEntity } from './routes/entity.ts';
import { type ExploreServices, registerExplore } from './routes/explore.ts';
import type { ExportDownloadServices } from './routes/export-download.ts';
import { type HomeServices, registerHome } from './routes/home.ts';
import { type MatchPageServices, registerMatchPage } from './routes/match.ts';
import { type MonitorPageServices, registerMonitorPages } from './routes/monitors.ts';
import { type RegisterPageServices, registerRegisterPages } from './routes/registers.ts';
import { registerTryIt, type TryItServices } from './routes/try-it.ts';
import type { WebhookPageServices } from './routes/webhooks.ts';
import { registerWellKnown } from './routes/well-known.ts';

/**
 * The portal: server-rendered pages on the same server as the API, with one stylesheet, no framework and no build. This
 * folder owns pages (`pages/`), what pages share (`parts/`), how values are written on them (`text/`), and their routes
 * (`routes/`). It owns no data and reads it only through the services that answer the API. Every action works without
 * JavaScript.
 */
export type PageServices = { readonly operator: Operator } & AuthServices &
  Omit<HomeServices & ExploreServices, 'preview' | 'suggest'> &
  Omit<EntityPageServices, 'limits'> &
  ExportDownloadServices &
  WebhookPageServices &
  DownloadServices &
  MatchPageServices &
  MonitorPageServices &
  RegisterPageServices &
  TryItServices &
  DocsServices;

/** What visitors who are not signed in may do. */
export interface PageLimits {
  readonly searches?: VisitorLimits;
  readonly records?: VisitorLimits;
}

export function registerPages(
  app: FastifyInstance,
  services: PageServices,
  { searches = previewLimits, records = recordLimits }: PageLimits = {},
): void {
  setOperator(services.operator);
  // Home and explore share one preview, and so one limit.
  const preview = createPreview(services, searches);
  registerHome(app, { ...services, preview });
  registerExplore(app, { ...services, preview, suggest: createSuggest(services) });
  registerDownload(app, services);
  registerMatchPage(app, services);
  registerEntity(app, { ...services, limits: records });
  registerDashboard(app, services);
  registerMonitorPages(app, services);
  registerRegisterPages(app, services);
  registerDocs(app, services);
  registerTryIt(app, services);
  registerAuth(app, services);
  registerWellKnown(app, services);
  registerAssets(app);
}
