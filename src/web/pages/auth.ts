import { type Html, html } from '../html.ts';
import { layout } from '../parts/layout.ts';

/** Why a sign-in did not work, and the way to try again. */
export function problemPage(title: string, explanation: string): Html {
  return layout(
    title,
    html`<h1>${title}</h1><p class="lead">${explanation}</p><p><a href="/auth/login">Sign in</a></p>`,
  );
}

/** Signing out changes something, so it takes a click: a link or an image of another site cannot do it. */
export const signOutPage: Html = layout(
  'Sign out',
  html`<h1>Sign out</h1><form method="post" action="/auth/logout"><button>Sign out of this browser</button></form>`,
);
