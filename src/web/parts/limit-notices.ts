import type { Plan } from '../../core/plans.ts';
import type { Denial } from '../../metering/charge.ts';
import { type Html, html } from '../html.ts';
import { writeAmount, writeMoment, writeWait } from '../text/formatting.ts';
import { notice } from './notice.ts';

/** Why there are no results, and when there will be. */

export function limitNotice({ code, resetsAt }: Denial, plan: Plan, now: number): Html {
  const wait = writeWait(resetsAt - now);
  if (code === 'rate_limit_exceeded') {
    return notice(
      'warn',
      'That was too fast',
      `Your plan allows ${writeAmount(plan.requestsPerMinute, 'request')} a minute here. Try again in ${wait}.`,
    );
  }
  return notice(
    'bad',
    'The quota of this period is used up',
    html`All ${writeAmount(plan.monthlyRequests, 'request')} are used; nothing is charged on top. The next period begins in
    ${wait}, on ${writeMoment(resetsAt)}. <a href="/dashboard#billing">A larger plan</a> takes effect at once.`,
  );
}

export function previewNotice(wait: number): Html {
  return notice(
    'warn',
    'That is enough of a preview for this minute',
    html`Try again in ${writeWait(wait)}, or <a href="/auth/login?returnTo=/explore">sign in</a> to search on.`,
  );
}

export function mistakeNotice(message: string): Html {
  return notice('bad', 'This search cannot be made', message);
}
