import type { Operator } from '../../core/site.ts';
import { type Html, html } from '../html.ts';

/**
 * The operator's own pages. They are on every page and the same for the whole server, so they are set once when the routes are
 * registered instead of being passed to each page.
 */
let operator: Operator = { termsUrl: undefined, privacyUrl: undefined, contactEmail: undefined };

export function setOperator(given: Operator): void {
  operator = given;
}

/** Links for the footer. */
export function operatorLinks(): Html {
  const { termsUrl, privacyUrl, contactEmail } = operator;
  return html`${termsUrl && html`<a href="${termsUrl}">Terms</a>`}
    ${privacyUrl && html`<a href="${privacyUrl}">Privacy</a>`}
    ${contactEmail && html`<a href="mailto:${contactEmail}">Contact</a>`}`;
}

/** Says where to get help with a failed request. */
export function contactHint(requestId: string): Html | false {
  const { contactEmail } = operator;
  if (contactEmail === undefined) return false;
  const subject = encodeURIComponent(`Request ${requestId}`);
  return html`<p>Need help? Write to <a href="mailto:${contactEmail}?subject=${subject}">${contactEmail}</a> and include
    the request ID.</p>`;
}

/** For pages on which users agree to pay. */
export function termsHint(): Html | false {
  return (
    operator.termsUrl !== undefined &&
    html`<p class="hint">By continuing you accept the <a href="${operator.termsUrl}">terms</a>.</p>`
  );
}
