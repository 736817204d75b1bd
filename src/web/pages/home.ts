import { type Html, html } from '../html.ts';
import { layout } from '../layout.ts';

export function homePage(url: string, version: string): Html {
  return layout(
    'Company registers, one API',
    html`
    <h1>One sky over every company register</h1>
    <p class="lead">Official bulk files of national registers go in; one versioned JSON API with exact search, lossless
    records and provable provenance comes out.</p>
    <pre><code>curl -H 'X-API-Key: <var>your key</var>' ${url}/api/v1/countries</code></pre>
    <ul class="links">
      <li><a href="/docs">API reference</a>: every endpoint, to read and to try</li>
      <li><a href="/docs/errors">Errors</a>: every code, why it happens and what to do</li>
      <li><a href="/api/v1/openapi.json">openapi.json</a>: the contract, for your tools</li>
      <li><a href="/api/v1/health/ready">Readiness</a> of this server, version ${version}</li>
    </ul>`,
  );
}
