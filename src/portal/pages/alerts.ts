import { showName } from '../../base/display-text.ts';
import { fail } from '../../base/errors.ts';
import { type Html, html } from '../../base/html.ts';
import type { Fields } from '../../base/requests/form-fields.ts';
import type { Routes } from '../../http/app.ts';
import { FORM_BODIES } from '../../http/bodies.ts';
import type { HttpReply } from '../../http/reply.ts';
import type { MailAlerts, NamedAlert } from '../../watch/mail/alerts.ts';
import { type Problem, section, selectField, textField } from '../parts/blocks.ts';
import { messagePage } from '../parts/layout.ts';
import type { PageServices } from '../services.ts';
import { sendPage } from '../visitor.ts';

/** The limit of a body: the fields of a form, or the request of a mail program's own unsubscribe button. */
const MAX_BODY_BYTES = 4_096;

/**
 * The page that the links in e-mails lead to. Opening the page changes nothing, because mail programs open links to check them. Its forms
 * need no session: only readers of the e-mails have the address of the page.
 */
export function registerAlerts(app: Routes, services: PageServices): void {
  const { mailAlerts } = services;
  const path = '/alerts/:token';

  async function show(reply: HttpReply, token: string): Promise<HttpReply> {
    if (!services.isPrepared()) throw fail('service_unavailable', { retryAfter: 1 });
    const alert = await mailAlerts.findByToken(token);
    if (alert === undefined) throw fail('not_found', { message: GONE });
    return sendPage(reply, alertPage(alert));
  }

  app.get<Route>(path, (request, reply) => show(reply, request.params.token));
  const scope = app.scope({ bodies: FORM_BODIES, bodyLimit: MAX_BODY_BYTES });
  scope.post<Route & { Body: Fields | undefined }>(path, async ({ params: { token }, body }, reply) => {
    await (body?.action === 'confirm' ? mailAlerts.confirm(token) : mailAlerts.unsubscribe(token));
    return show(reply, token);
  });
}

interface Route {
  readonly Params: { readonly token: string };
}

const GONE = 'These e-mails have ended: their monitor or this address was removed.';

function alertPage({ state, token, rhythm, address, monitorName }: NamedAlert): Html {
  const often = rhythm === 'daily' ? 'once a day' : 'soon after each change';
  const what = html`E-mails about the companies in ${showName(monitorName)}, ${often}, to <bdi>${address}</bdi>.`;
  const isOpen = state === 'new' || state === 'asked';
  const button = (action: string, text: string) =>
    html`<button name="action" value="${action}"${action === 'stop' && html` class="quiet"`}>${text}</button>`;
  const form = html`<form method="post" action="/alerts/${token}"><div class="buttons">
    ${isOpen && button('confirm', 'Confirm')}
    ${state !== 'stopped' && state !== 'refused' && button('stop', state === 'active' ? 'Stop these e-mails' : 'I do not want them')}
  </div></form>`;
  const ended = state === 'active' ? 'You get these e-mails' : 'You get no more e-mails';
  return messagePage(isOpen ? 'Do you want these e-mails?' : ended, what, form, {
    visitor: 'anonymous',
    isUnlisted: true,
  });
}

const STATES: Readonly<Record<NamedAlert['state'], string>> = {
  new: 'waits for its confirmation',
  asked: 'waits for its confirmation',
  active: 'active',
  stopped: 'stopped by its reader',
  refused: 'refused by its mail server',
  removed: 'removed',
};

const RHYTHMS = [
  ['daily', 'Once a day, at 06:00 UTC'],
  ['immediate', 'Soon after each change'],
] as const;

interface AlertsView {
  readonly alerts: Awaited<ReturnType<MailAlerts['list']>>;
  readonly isOn: boolean;
  /** Whether the visitor can change the settings of this server, as in the demo. */
  readonly isOperator: boolean;
  readonly ownAddress: string | null;
}

/** Shows who gets the changes of a monitor by e-mail. Without a mail server, only operators see a hint how to set one up. */
export function alertsSection(
  monitorId: string,
  { alerts, isOn, isOperator, ownAddress }: AlertsView,
  problem?: Problem,
): Html | false {
  if (!isOn && !isOperator) return false;
  const action = `/dashboard/monitors/${monitorId}/alerts`;
  const items = alerts.map(
    ({ id, address, rhythm, state }) => html`<li><form method="post" action="${action}" class="inline">
      <span><bdi>${address}</bdi>: ${rhythm}, ${STATES[state]}</span> <input type="hidden" name="id" value="${id}">
      <button class="quiet" name="action" value="remove" aria-label="Remove ${address}">Remove</button></form></li>`,
  );
  const value = alerts.some(({ address }) => address === ownAddress) ? '' : (ownAddress ?? '');
  const attributes = html`type="email" required maxlength="254"`;
  const form = html`<form method="post" action="${action}" class="inline">
      <div class="field">${textField({ name: 'address', label: 'Address', value, attributes, problem })}</div>
      <div class="field">${selectField('rhythm', 'How often', RHYTHMS)}</div>
      <button>Send e-mails</button>
    </form>
    <p class="hint">An address other than yours has to confirm first. E-mails cost nothing, and each has a link that ends them.</p>`;
  const missing = html`<p class="empty">Not set up on this server: set <code>SMTP_URL</code> and <code>MAIL_FROM</code> to send e-mails.</p>`;
  const list = items.length > 0 && html`<ul class="monitors">${items}</ul>`;
  return section('alerts', 'E-mail', html`${!isOn && missing}${list}${isOn && form}`);
}
