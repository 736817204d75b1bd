import Fastify from 'fastify';
import { keepCompressed } from '../../core/compression.ts';
import { type Html, html } from '../html.ts';

/** The API reference. Scalar renders it in the browser from the contract. */
export const referencePage: Html = html`<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>API reference · Firmament</title>
  <link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
</head>
<body>
  <div id="app"></div>
  <noscript>The reference needs JavaScript. You can also read the contract: <a href="/api/v1/openapi.json">openapi.json</a>.</noscript>
  <script src="/docs/scalar.js"></script>
  <script src="/assets/reference.js"></script>
</body>
</html>
`;

/** Scalar inserts style elements, so this page allows inline styles. Inline scripts stay forbidden. */
export const referencePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; " +
  "font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Scalar's browser bundle. The package exposes it only through a Fastify plugin whose page needs inline script
 * and trusts the Host header, so the plugin runs on a separate app that only hands out the bundle. It is loaded on the
 * first visit because it is 4 MB.
 */
export function loadScalar(): Promise<Buffer> {
  bundle ??= readScalar();
  return bundle;
}

let bundle: Promise<Buffer> | undefined;

async function readScalar(): Promise<Buffer> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const app = Fastify();
  await app.register(scalar, { routePrefix: '/', configuration: { url: '/api/v1/openapi.json' } });
  const { rawPayload, statusCode } = await app.inject('/js/scalar.js');
  await app.close();
  if (statusCode !== 200) throw new Error(`cannot load the Scalar bundle: status ${statusCode}`);
  return keepCompressed(rawPayload);
}
