/**
 * Sent with every response. JSON is not a document, so nothing may load or frame it; pages set their own policy. HSTS is the
 * responsibility of the proxy that terminates TLS.
 */
export const baseHeaders: Readonly<Record<string, string>> = Object.freeze({
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  vary: 'Accept-Encoding',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
});
