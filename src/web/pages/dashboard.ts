import type { WebhookEndpoint } from '../../webhooks/endpoints.ts';
import { type Html, html } from '../html.ts';
import {
  type BillingView,
  billingSection,
  type CheckoutState,
  checkoutNotice,
} from '../parts/account/billing-section.ts';
import { type ExportsView, exportsSection } from '../parts/account/exports-section.ts';
import {
  type CreatedSecret,
  createdNotice,
  keyTexts,
  linkTexts,
  type SecretsView,
  secretsSection,
} from '../parts/account/secrets-section.ts';
import { type UsageView, usageSection, usageWarning } from '../parts/account/usage-section.ts';
import { webhooksSection, webhookWarning } from '../parts/account/webhooks-section.ts';
import { layout, type Visitor } from '../parts/layout.ts';
import { notice } from '../parts/notice.ts';

export interface DashboardView extends UsageView, SecretsView, BillingView, ExportsView {
  readonly visitor: Visitor;
  readonly publicUrl: string;
  readonly endpoints: readonly WebhookEndpoint[];
  readonly checkout?: CheckoutState | undefined;
  /** A new key or link with its secret. */
  readonly created?: CreatedSecret | undefined;
  /** Confirms the last action. */
  readonly done?: Html | undefined;
  /** Why the last action failed. */
  readonly problem?: string | undefined;
}

/** How often the page reloads while a payment is being confirmed. */
const REFRESH_SECONDS = 3;

export function dashboardPage(view: DashboardView): Html {
  const { visitor, plan, checkout, created, done, problem, publicUrl } = view;
  const isWaiting = checkout === 'waiting';
  return layout(
    'Dashboard',
    html`<h1>Dashboard</h1>
    <p class="lead">${visitor !== 'anonymous' && html`<bdi>${visitor.name}</bdi> · `}${plan.name} plan</p>
    <div id="dashboard"${isWaiting && html` data-waiting`}>
      ${checkout !== undefined && checkoutNotice(checkout, plan)}
      ${done}
      ${problem !== undefined && notice('bad', 'Request failed', problem)}
      ${created !== undefined && createdNotice(created, publicUrl)}
      ${usageWarning(view)}
      ${webhookWarning(view.endpoints)}
      <div class="cards">${usageSection(view)}${secretsSection(keyTexts, view)}${secretsSection(linkTexts, view)}
        ${webhooksSection(view.endpoints)}${exportsSection(view)}${billingSection(view)}</div>
    </div>`,
    {
      section: '/dashboard',
      visitor,
      scripts: ['copy.js', 'once.js', 'dashboard.js'],
      ...(isWaiting && { refreshSeconds: REFRESH_SECONDS }),
    },
  );
}
