import { type Html, html } from '../../src/base/html.ts';
import { layout } from '../../src/portal/parts/layout.ts';

/** The sign-in page: it asks for an e-mail address and no password. */
export function emailPage(action: string, refused?: string): Html {
  const hint = refused === undefined ? null : html`<p role="alert" id="problem">Enter a valid e-mail address.</p>`;
  return layout(
    'Sign in',
    html`<h1>Sign in to the demo</h1>
    <p class="lead">Use any e-mail address. No e-mail is sent, and there is no password.</p>
    ${hint}
    <form method="post" action="${action}">
      <label for="email">E-mail address</label>
      <input id="email" name="email" type="email" required maxlength="200" autocomplete="email" autofocus
        value="${refused ?? 'demo@example.com'}">
      <button>Sign in</button>
    </form>`,
  );
}

export const expiredPage: Html = layout(
  'Sign in again',
  html`<h1>This sign-in has expired</h1>
  <p class="lead">It took too long, was completed already, or was started in another browser.</p>
  <p><a href="/auth/login">Sign in</a></p>`,
);

export function providerErrorPage(error: string): Html {
  return layout(
    'Sign-in failed',
    html`<h1>Sign-in failed</h1><p class="lead">The demo's identity provider reported: <code>${error}</code></p>
    <p><a href="/auth/login">Sign in</a></p>`,
  );
}
