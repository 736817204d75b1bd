import type { WebhookEndpoint } from '../../../webhooks/endpoints.ts';
import { type Html, html } from '../../html.ts';
import { formatAmount } from '../../text/formatting.ts';
import { notice } from '../notice.ts';

/** What the dashboard says about monitors, and about webhooks: how many there are, and which one does not work any more. */
export function webhooksSection(endpoints: readonly WebhookEndpoint[]): Html {
  return html`<section class="card" aria-labelledby="webhooks-title" id="webhooks">
    <h2 id="webhooks-title">Monitors and webhooks</h2>
    <p>A monitor reports what changes about companies that you choose. <a href="/dashboard/monitors">Manage monitors</a></p>
    <p>${endpoints.length === 0 ? 'We can send the events of your monitors to your server.' : `${formatAmount(endpoints.length, 'endpoint')}.`}
    <a href="/dashboard/webhooks">Manage webhooks</a></p>
  </section>`;
}

export function webhookWarning(endpoints: readonly WebhookEndpoint[]): Html[] {
  const stopped = endpoints.filter(({ disabledReason }) => disabledReason !== null && disabledReason !== 'owner');
  return stopped.map(({ id, url, disabledReason }) =>
    notice(
      'bad',
      'A webhook endpoint is disabled',
      html`${describeReason(disabledReason)}: <a href="/dashboard/webhooks/${id}"><bdi>${url}</bdi></a>. Events wait until you enable it again.`,
    ),
  );
}

export function describeReason(reason: WebhookEndpoint['disabledReason']): string {
  switch (reason) {
    case 'failing':
      return 'Ten attempts to deliver an event failed';
    case 'gone':
      return 'The receiver answered 410 Gone';
    case 'operator':
      return 'The operator of this service disabled it';
    default:
      return 'You disabled it';
  }
}
