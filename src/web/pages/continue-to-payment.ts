import { type Html, html } from '../html.ts';
import { layout, type Visitor } from '../parts/layout.ts';

/** A link to the payment page, for providers that the dashboard's `form-action` policy does not allow a redirect to. */
export function continueToPaymentPage(url: string, visitor: Visitor): Html {
  return layout(
    'Continue to payment',
    html`<h1>One more step</h1>
    <p class="lead">You pay on our payment provider’s site. Nothing is charged until you confirm there.</p>
    <p><a class="button" href="${url}">Continue to payment</a></p>`,
    { section: '/dashboard', visitor },
  );
}
