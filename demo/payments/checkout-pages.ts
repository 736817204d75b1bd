import { type Html, html } from '../../src/base/html.ts';
import type { Routes } from '../../src/http/app.ts';
import type { HttpReply } from '../../src/http/reply.ts';
import { isEmail } from '../identity/keys.ts';
import { payCheckout } from './checkout.ts';
import { isTestCard } from './customers.ts';
import { PaymentError } from './errors.ts';
import type { Ledger } from './ledger.ts';
import { alertText, frame, MOUNT, sendDeadEnd, sendFormPage } from './page-frame.ts';
import { describePrice, formatAmount } from './prices.ts';
import { type Checkout, findById } from './state.ts';
import { catchUp } from './time.ts';

/** The hosted checkout page. Its address is the only credential, as with Stripe. */
export function registerCheckoutPages(app: Routes, ledger: Ledger): void {
  const url = `${MOUNT}/checkout/:id`;

  app.get<{ Params: { id: string } }>(url, async ({ params }, reply) => {
    const checkout = openCheckout(ledger, params.id);
    if (checkout?.session.status !== 'open') return sendClosed(reply, checkout);
    const email = checkout.session.customer_details.email ?? 'demo@example.com';
    const page = checkoutPage(checkout, { email, card: '4242 4242 4242 4242' });
    return sendFormPage(reply, page, checkout.session.success_url);
  });

  app.post<{ Params: { id: string } }>(url, async ({ params, body }, reply) => {
    const checkout = openCheckout(ledger, params.id);
    if (checkout === undefined || checkout.session.status === 'expired') return sendClosed(reply, checkout);
    const form = new URLSearchParams(String(body ?? ''));
    const payer = { email: form.get('email')?.trim() ?? '', card: form.get('card') ?? '' };
    try {
      if (!isEmail(payer.email)) throw new PaymentError('Enter a valid e-mail address.');
      ledger.change(() => payCheckout(ledger, checkout, payer));
      return reply.redirect(checkout.session.success_url, 303);
    } catch (error) {
      if (!(error instanceof PaymentError)) throw error;
      const page = checkoutPage(checkout, payer, error);
      return sendFormPage(reply.code(error.status), page, checkout.session.success_url);
    }
  });
}

interface Payer {
  readonly email: string;
  readonly card: string;
}

function openCheckout(ledger: Ledger, id: string): Checkout | undefined {
  catchUp(ledger);
  return findById(ledger.state.checkouts, id);
}

function sendClosed(reply: HttpReply, checkout: Checkout | undefined): HttpReply {
  if (checkout === undefined) {
    return sendDeadEnd(reply, 404, { title: 'Checkout not found', text: 'This link does not belong to a checkout.' });
  }
  const { session } = checkout;
  if (session.status === 'complete') {
    const text = 'You have paid for this already and were not charged again.';
    return sendDeadEnd(reply, 410, { title: 'Already paid', text, back: session.success_url });
  }
  const text = 'You were not charged. Please start again.';
  return sendDeadEnd(reply, 410, { title: 'This checkout has expired', text, back: session.cancel_url });
}

/** What was typed is kept, except for a card number that may be a real one. */
function checkoutPage({ session, price }: Checkout, { email, card }: Payer, problem?: PaymentError): Html {
  const isCardWrong = problem?.type === 'card_error';
  return frame(
    'Checkout',
    html`<h1>Subscribe to ${price.nickname}</h1>
    <p class="lead">${describePrice(price)}, until you cancel.</p>
    ${alertText(problem?.message, 'Payment failed')}
    <form method="post" action="${MOUNT}/checkout/${session.id}">
      <label for="email">E-mail address</label>
      <input id="email" name="email" type="email" required maxlength="200" autocomplete="email" value="${email}">
      <label for="card">Card number</label>
      <input id="card" name="card" required maxlength="30" inputmode="numeric" autocomplete="off"${isCardWrong && html` aria-invalid="true" autofocus`}
        value="${isTestCard(card) && card}">
      <button>Pay ${formatAmount(price.unit_amount)}</button>
      <a href="${session.cancel_url}">Cancel</a>
    </form>
    <h2>Test cards</h2>
    <table>
      <thead><tr><th scope="col">Number</th><th scope="col">Result</th></tr></thead>
      <tbody>
        <tr><td>4242 4242 4242 4242</td><td>Payment succeeds</td></tr>
        <tr><td>4000 0000 0000 0002</td><td>Card is declined</td></tr>
      </tbody>
    </table>`,
  );
}
