import { type Html, html } from '../../base/html.ts';
import type { Operator } from '../../base/site.ts';

export interface Frame {
  /** Address of the section that the navigation highlights. */
  readonly section?: string;
  /** Undefined on pages without an account menu, such as the sign-in of the demo. */
  readonly visitor?: Visitor;
  /** Modules in `public/`. Every page also works without them. */
  readonly scripts?: readonly string[];
  readonly description?: string;
  /** The address without parameters, if the page is worth sharing. */
  readonly path?: string;
  /** Asks search engines to leave the page out: records name people, and result pages are endless. */
  readonly isUnlisted?: boolean;
  /** Where scripts do not run, the browser reloads the page after this many seconds. */
  readonly refreshSeconds?: number;
}

export type Visitor = { readonly name: string } | 'anonymous';

const SECTIONS = [
  ['/explore', 'Explore'],
  ['/match', 'Match'],
  ['/coverage', 'Coverage'],
  ['/plans', 'Plans'],
  ['/docs', 'Docs'],
  ['/status', 'Status'],
] as const;

export function messagePage(title: string, text: Html | string | undefined, content: Html, frame?: Frame): Html {
  return layout(title, html`<h1>${title}</h1>${text && html`<p class="lead">${text}</p>`}${content}`, frame);
}

export function layout(title: string, content: Html, frame: Frame = {}): Html {
  const { section, visitor, scripts = [], description, path, isUnlisted, refreshSeconds } = frame;
  const { termsUrl, privacyUrl, contactEmail, crawlers } = operator;
  const link = (address: string, text: string) =>
    html`<a href="${address}"${address === section && html` aria-current="page"`}>${text}</a>`;
  return html`<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  ${description && html`<meta name="description" content="${description}">`}
  ${path !== undefined && shareTags(title, path, description)}
  ${(isUnlisted || crawlers === 'none') && html`<meta name="robots" content="noindex, nofollow">`}
  <title>${title} · Firmament</title>
  <link rel="stylesheet" href="/assets/app.css">
  <link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
  ${scripts.map((script) => html`<script type="module" src="/assets/${script}"></script>`)}
  ${refreshSeconds !== undefined && html`<noscript><meta http-equiv="refresh" content="${refreshSeconds}"></noscript>`}
</head>
<body>
  <a class="skip" href="#content">Skip to content</a>
  <header class="bar">
    <a class="brand" href="/"><img src="/assets/icon.svg" alt="" width="26" height="26">Firmament</a>
    <nav aria-label="Main">
      ${SECTIONS.map(([address, text]) => link(address, text))}
    </nav>
    ${
      visitor !== undefined &&
      html`<nav aria-label="Account" class="account">
      ${link('/dashboard', 'Dashboard')}
      ${visitor === 'anonymous' ? html`<a class="button quiet" href="/auth/login">Sign in</a>` : html`<form method="post" action="/auth/logout"><button class="plain">Sign out</button></form>`}
    </nav>`
    }
  </header>
  <main id="content" tabindex="-1">${content}</main>
  <footer class="foot">
    <p>Firmament: official company registers, one API.</p>
    <nav aria-label="More">
      <a href="/docs">Quick start</a> <a href="/docs/reference">API reference</a> <a href="/docs/errors">Errors</a>
      <a href="/coverage">Sources and licences</a> <a href="/api/v1/openapi.json">openapi.json</a>
      ${termsUrl && html`<a href="${termsUrl}">Terms</a>`}
      ${privacyUrl && html`<a href="${privacyUrl}">Privacy</a>`}
      ${contactEmail && html`<a href="mailto:${contactEmail}">Contact</a>`}
    </nav>
  </footer>
</body>
</html>
`;
}

/** Tags for chats and search engines: the one address of a page, and its description. */
function shareTags(title: string, path: string, description?: string): Html {
  const address = siteUrl() + path;
  return html`<link rel="canonical" href="${address}">
  <meta property="og:type" content="website"><meta property="og:site_name" content="Firmament"><meta property="og:url" content="${address}">
  <meta property="og:title" content="${title}">${description && html`<meta property="og:description" content="${description}">`}`;
}

/**
 * The operator's own pages. Every page links to them, and they are the same for the whole server, so they are set once when the routes
 * are registered instead of being passed to each page.
 */
let operator: Operator = { termsUrl: undefined, privacyUrl: undefined, contactEmail: undefined, crawlers: 'pages' };
let siteUrl = () => '';

export function setOperator(given: Operator, publicUrl: () => string): void {
  operator = given;
  siteUrl = publicUrl;
}

export function contactHint(requestId: string): Html | false {
  const { contactEmail } = operator;
  if (contactEmail === undefined) return false;
  const subject = encodeURIComponent(`Request ${requestId}`);
  return html`<p>Need help? Write to <a href="mailto:${contactEmail}?subject=${subject}">${contactEmail}</a> and include
    the request ID.</p>`;
}

/** A hint for pages on which users agree to pay. */
export function termsHint(): Html | false {
  return (
    operator.termsUrl !== undefined &&
    html`<p class="hint">By continuing you accept the <a href="${operator.termsUrl}">terms</a>.</p>`
  );
}
