/**
 * Sent with every reply. JSON is never a document, so nothing may load or frame it; a page sets its own policy.
 * HSTS is left to whoever ends TLS in front of us.
 */
export const securityHeaders: Readonly<Record<string, string>> = Object.freeze({
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
});
