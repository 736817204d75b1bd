import type { FastifyInstance, FastifyReply } from 'fastify';
import { type Html, html } from '../../web/html.ts';
import { isEmail } from '../identity/keys.ts';
import { type Checkout, findCheckout, payCheckout, returnAddress } from './checkout.ts';
import { PaymentError } from './errors.ts';
import { makeId } from './ids.ts';
import type { Ledger } from './ledger.ts';
import { alertText, frame, MOUNT, sendDeadEnd, sendFormPage } from './page-frame.ts';
import { describePrice } from './prices.ts';
import { catchUp } from './time.ts';

/** The hosted page on which somebody pays. Whoever knows its address may, as with Stripe. */
export function registerCheckoutPages(app: FastifyInstance, ledger: Ledger): void {
  const url = `${MOUNT}/checkout/:id`;

  app.get<{ Params: { id: string } }>(url, async ({ params }, reply) => {
    const checkout = openCheckout(ledger, params.id);
    if (checkout?.session.status !== 'open') return sendOver(reply, checkout);
    return sendFormPage(reply, checkoutPage(checkout, emailOf(checkout)), checkout.session.success_url);
  });

  app.post<{ Params: { id: string } }>(url, async ({ params, body }, reply) => {
    const checkout = openCheckout(ledger, params.id);
    if (checkout === undefined || checkout.session.status === 'expired') return sendOver(reply, checkout);
    const form = new URLSearchParams(String(body ?? ''));
    const payer = { email: form.get('email')?.trim() ?? '', card: form.get('card') ?? '' };
    try {
      if (!isEmail(payer.email)) throw new PaymentError('This is not an e-mail address.');
      const cause = { id: makeId('req', 14), idempotency_key: null };
      const session = ledger.change(cause, () => payCheckout(ledger, params.id, payer));
      return reply.redirect(returnAddress(session), 303);
    } catch (error) {
      if (!(error instanceof PaymentError)) throw error;
      const page = checkoutPage(checkout, payer.email, error.message);
      return sendFormPage(reply.code(error.status), page, checkout.session.success_url);
    }
  });
}

function openCheckout(ledger: Ledger, id: string): Checkout | undefined {
  catchUp(ledger);
  try {
    return findCheckout(ledger.state, id);
  } catch {
    return undefined;
  }
}

function sendOver(reply: FastifyReply, checkout: Checkout | undefined): FastifyReply {
  if (checkout === undefined) {
    return sendDeadEnd(reply, 404, { title: 'No such checkout', text: 'This address leads to no purchase.' });
  }
  const { session } = checkout;
  if (session.status === 'complete') {
    const text = 'This purchase was paid already; it is not paid twice.';
    return sendDeadEnd(reply, 410, { title: 'Already paid', text, back: returnAddress(session) });
  }
  const text = 'This purchase was not finished in time. Nothing was paid: begin it again.';
  return sendDeadEnd(reply, 410, { title: 'This checkout has expired', text, back: session.cancel_url ?? undefined });
}

function emailOf({ session }: Checkout): string {
  return session.customer_details?.email ?? session.customer_email ?? 'demo@example.com';
}

function checkoutPage({ session, price }: Checkout, email: string, problem?: string): Html {
  const cancel = session.cancel_url === null ? null : html`<a href="${session.cancel_url}">Cancel</a>`;
  return frame(
    'Checkout',
    html`<h1>Subscribe to ${price.nickname}</h1>
    <p class="lead">${describePrice(price)}, until you cancel.</p>
    ${alertText(problem)}
    <form method="post" action="${MOUNT}/checkout/${session.id}">
      <label for="email">E-mail address</label>
      <input id="email" name="email" type="email" required maxlength="200" autocomplete="email" value="${email}">
      <label for="card">Card number</label>
      <input id="card" name="card" required maxlength="30" inputmode="numeric" autocomplete="off"
        value="4242 4242 4242 4242">
      <button>Pay</button>
      ${cancel}
    </form>
    <h2>Test cards</h2>
    <table>
      <thead><tr><th scope="col">Number</th><th scope="col">What happens</th></tr></thead>
      <tbody>
        <tr><td>4242 4242 4242 4242</td><td>The payment succeeds.</td></tr>
        <tr><td>4000 0000 0000 0002</td><td>The card is declined.</td></tr>
      </tbody>
    </table>`,
  );
}
