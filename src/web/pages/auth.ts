import { type Html, html } from '../html.ts';
import { layout } from '../parts/layout.ts';

/** Says why a sign-in failed and links to a new attempt. */
export function problemPage(title: string, explanation: string): Html {
  return layout(
    title,
    html`<h1>${title}</h1><p class="lead">${explanation}</p><p><a href="/auth/login">Sign in</a></p>`,
  );
}

/** Signing out needs a form: a link or an image on another site could otherwise sign users out. */
export function signOutPage(): Html {
  return layout(
    'Sign out',
    html`<h1>Sign out</h1><form method="post" action="/auth/logout"><button>Sign out of this browser</button></form>`,
  );
}
