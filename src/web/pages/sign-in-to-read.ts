import { type Html, html } from '../html.ts';
import { freePlanHint } from '../parts/account/plan-cards.ts';
import { layout } from '../parts/layout.ts';
import { formatAmount, formatWait } from '../text/formatting.ts';
import { signInAddress } from '../visitor.ts';

/** Long lists and the JSON of a record need an account. */
export function signInToReadPage(path: string): Html {
  return invite(
    'Sign in to see the complete record',
    path,
    html`With an account you also see long lists, every source field and the JSON of a record. Opening one uses one
    request. ${freePlanHint()}`,
  );
}

/** Shown instead of a record if visitors have opened as many as they may today. */
export function visitorLimitPage(path: string, perAddress: number, wait: number): Html {
  return invite(
    'Sign in to open more records',
    path,
    html`Without an account you can open ${formatAmount(perAddress, 'record')} per day, as long as the daily limit for all
    visitors is not reached. Try again in ${formatWait(wait)}, or sign in now. ${freePlanHint()}`,
  );
}

function invite(title: string, path: string, text: Html): Html {
  return layout(
    title,
    html`<h1>${title}</h1>
    <p class="lead">${text}</p>
    <p><a class="button" href="${signInAddress(path)}">Sign in</a> <a href="/explore">Back to search</a></p>`,
    { section: '/explore', visitor: 'anonymous' },
  );
}
