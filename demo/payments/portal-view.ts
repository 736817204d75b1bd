import { type Html, html } from '../../src/base/html.ts';
import { scrollArea } from '../../src/portal/parts/blocks.ts';
import { findCustomer } from './customers.ts';
import type { Ledger } from './ledger.ts';
import { alertText, frame, MOUNT } from './page-frame.ts';
import { describePrice, formatAmount, type Price, prices } from './prices.ts';
import type { Invoice, PortalSession, Subscription } from './state.ts';

/** The portal page: plain forms, one per button; the button's value names the action. */
interface PortalView {
  readonly ledger: Ledger;
  readonly portal: PortalSession;
  readonly confirmation?: string | undefined;
  readonly problem?: string | undefined;
}

export function portalPage({ ledger, portal, confirmation, problem }: PortalView): Html {
  const { state } = ledger;
  const customer = findCustomer(state, portal.session.customer);
  const subscriptions = Object.values(state.subscriptions).filter((each) => each.customer === customer.id);
  const invoices = Object.values(state.invoices).filter((each) => each.customer === customer.id);
  const live = subscriptions.filter(({ status }) => status !== 'canceled');
  return frame(
    'Customer portal',
    html`<h1>Your subscription</h1>
    <p class="lead">${customer.email ?? customer.id}</p>
    ${confirmation === undefined ? null : html`<p role="status">${confirmation}</p>`}
    ${alertText(problem)}
    <p><a href="${portal.session.return_url}">Back to the service</a></p>
    ${subscriptions.length === 0 ? html`<p>No subscriptions yet.</p>` : null}
    ${subscriptions.toReversed().map((subscription) => subscriptionSection(subscription, portal))}
    ${invoiceSection(invoices.toReversed())}
    ${controlSection(ledger, portal, live)}`,
  );
}

export function confirmPage({ session }: PortalSession, subscription: Subscription): Html {
  const [{ price }] = subscription.items.data;
  return frame(
    'Cancel now',
    html`<h1>Cancel ${price.nickname} now?</h1>
    <p class="lead">Your subscription and your plan end immediately. There is no refund.</p>
    <form method="post" action="${pathOf(session.id)}">
      <input type="hidden" name="subscription" value="${subscription.id}">
      <input type="hidden" name="confirmed" value="true">
      <button class="danger" name="action" value="cancel-now">Yes, cancel now</button>
      <a href="${pathOf(session.id)}">No, keep it</a>
    </form>`,
  );
}

/** A change of plan that waits for confirmation. */
export interface OpenChange {
  readonly subscription: string;
  readonly from: Price;
  readonly to: Price;
  readonly doneUrl: string;
}

export function changePage({ session }: PortalSession, { subscription, from, to }: OpenChange): Html {
  return frame(
    'Confirm your change',
    html`<h1>Change to ${to.nickname}?</h1>
    <p class="lead">You pay ${describePrice(to)} instead of ${describePrice(from)}, until you cancel.</p>
    <form method="post" action="${pathOf(session.id)}">
      <input type="hidden" name="subscription" value="${subscription}">
      <input type="hidden" name="price" value="${to.id}">
      <button name="action" value="change-plan">Confirm ${to.nickname}</button>
      <a href="${session.return_url}">Keep ${from.nickname}</a>
    </form>`,
  );
}

export function pathOf(session: string): string {
  return `${MOUNT}/portal/${session}`;
}

function subscriptionSection(subscription: Subscription, { session }: PortalSession): Html {
  const { id, status, cancel_at, ended_at, items } = subscription;
  const [{ price, current_period_start, current_period_end }] = items.data;
  const isPlanned = cancel_at !== null && status !== 'canceled';
  return html`<section aria-label="Subscription ${id}">
    <h2>${price.nickname}</h2>
    <table><tbody>
      <tr><th scope="row">Status</th><td>${status.replace('_', ' ')}</td></tr>
      <tr><th scope="row">Price</th><td>${describePrice(price)}</td></tr>
      <tr><th scope="row">Period</th><td>${showDate(current_period_start)} – ${showDate(current_period_end)}</td></tr>
      ${isPlanned ? html`<tr><th scope="row">Ends on</th><td>${showDate(cancel_at)}</td></tr>` : null}
      ${ended_at === null ? null : html`<tr><th scope="row">Ended on</th><td>${showDate(ended_at)}</td></tr>`}
    </tbody></table>
    ${status === 'canceled' ? null : subscriptionForms(subscription, session.id)}
  </section>`;
}

function subscriptionForms({ id, status, cancel_at_period_end, items }: Subscription, session: string): Html {
  const subscription = { subscription: id };
  const others = prices.filter((price) => price.id !== items.data[0].price.id);
  return html`<div class="buttons">${others.map((price) =>
    button(session, 'change-plan', `Change to ${price.nickname} (${describePrice(price)})`, {
      ...subscription,
      price: price.id,
    }),
  )}
  ${
    cancel_at_period_end
      ? button(session, 'keep', 'Keep subscription', subscription)
      : button(session, 'cancel-at-period-end', 'Cancel at the end of the period', subscription)
  }
  ${button(session, 'cancel-now', 'Cancel now…', subscription)}
  ${status === 'paused' ? button(session, 'resume', 'Resume', subscription) : button(session, 'pause', 'Pause', subscription)}</div>`;
}

function invoiceSection(invoices: readonly Invoice[]): Html {
  const rows = invoices.map(
    ({ number, created, description, total, status }) => html`<tr><td>${number}</td><td>${showDate(created)}</td>
      <td>${description}</td><td>${formatAmount(total)}</td><td>${status}</td></tr>`,
  );
  const columns = ['Number', 'Date', 'Description', 'Amount', 'Status'].map(
    (name) => html`<th scope="col">${name}</th>`,
  );
  return html`<section aria-label="Invoices"><h2>Invoices</h2>
    ${
      rows.length === 0
        ? html`<p>No invoices yet.</p>`
        : scrollArea('Invoices', html`<table><thead><tr>${columns}</tr></thead><tbody>${rows}</tbody></table>`)
    }</section>`;
}

function controlSection({ state, now }: Ledger, { session }: PortalSession, live: readonly Subscription[]): Html {
  const { id, customer } = session;
  const count = state.outbox.length;
  const waiting = count === 1 ? '1 event is undelivered' : `${count} events are undelivered`;
  const open = Object.values(state.invoices).filter((each) => each.customer === customer && each.status === 'open');
  const renewable = live.filter(({ status }) => status !== 'paused');
  return html`<section aria-label="Sandbox controls"><h2>Sandbox controls</h2>
    <p>Sandbox date: ${showDate(now())}. ${waiting}.</p>
    <div class="buttons">${renewable.map(({ id: subscription, items }) => {
      const name = items.data[0].price.nickname;
      return html`${button(id, 'renew', `Renew ${name} now`, { subscription })}
      ${button(id, 'fail-payment', `Renew ${name} now, payment fails`, { subscription })}`;
    })}
    ${open.map((invoice) => button(id, 'pay-invoice', `Pay invoice ${invoice.number}`, { invoice: invoice.id }))}
    </div>
  </section>`;
}

function button(session: string, action: string, label: string, fields: Readonly<Record<string, string>>): Html {
  const hidden = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  return html`<form method="post" action="${pathOf(session)}">${hidden}<button class="quiet" name="action" value="${action}">${label}</button></form>`;
}

function showDate(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 10);
}
