import type { Routes } from '../../transport/app.ts';
import { takeFlash } from '../flash.ts';
import { createAccountPages } from './account-pages.ts';
import { type ExportDownloadServices, registerExportDownload } from './export-download.ts';
import { readReturn, registerPlans } from './plans.ts';
import { registerSecretForms } from './secret-forms.ts';
import { registerWebhookPages, type WebhookPageServices } from './webhooks.ts';

/** The signed-in user's account: usage, keys, links and plan. Every change is a form, so it works without JavaScript. */
export function registerDashboard(app: Routes, services: ExportDownloadServices & WebhookPageServices): void {
  const { publicUrl } = services;
  const pages = createAccountPages(services);
  const { show, signedInOnly } = pages;

  app.get(
    '/dashboard',
    signedInOnly<{ query: { checkout?: string } }>(async (request, reply, signedIn) => {
      const returned = await readReturn(request, reply, signedIn, services);
      return show(reply, signedIn, { done: takeFlash(reply, publicUrl()), ...returned });
    }),
  );
  registerSecretForms(app, services, pages);
  registerPlans(app, services, pages);
  registerExportDownload(app, services, pages);
  registerWebhookPages(app, services, pages);
}
