import type { FastifyInstance } from 'fastify';
import { createPreview, type PreviewLimits, previewLimits } from './preview.ts';
import { registerAssets } from './routes/assets.ts';
import { type AuthServices, registerAuth } from './routes/auth.ts';
import { type DashboardServices, registerDashboard } from './routes/dashboard.ts';
import { registerDocs } from './routes/docs.ts';
import { type EntityPageServices, registerEntity } from './routes/entity.ts';
import { type ExploreServices, registerExplore } from './routes/explore.ts';
import { type HomeServices, registerHome } from './routes/home.ts';
import { type RegisterPageServices, registerRegisterPages } from './routes/registers.ts';

/**
 * The portal: server-rendered pages on the same server as the API, with one stylesheet, no framework and no build. This
 * folder owns pages (`pages/`), what pages share (`parts/`), how values are written on them (`text/`), and their routes
 * (`routes/`). It owns no data and reads it only through the services that answer the API. Every action works without
 * JavaScript.
 */
export type PageServices = AuthServices &
  Omit<HomeServices & ExploreServices, 'preview'> &
  EntityPageServices &
  DashboardServices &
  RegisterPageServices;

export function registerPages(
  app: FastifyInstance,
  services: PageServices,
  limits: PreviewLimits = previewLimits,
): void {
  // Home and explore share one preview, and so one limit.
  const preview = createPreview(services, limits);
  registerHome(app, { ...services, preview });
  registerExplore(app, { ...services, preview });
  registerEntity(app, services);
  registerDashboard(app, services);
  registerRegisterPages(app, services);
  registerDocs(app, services);
  registerAuth(app, services);
  registerAssets(app);
}
