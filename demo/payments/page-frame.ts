import { type Html, html } from '../../src/base/html.ts';
import type { HttpReply } from '../../src/http/reply.ts';
import { notice } from '../../src/portal/parts/blocks.ts';
import { layout } from '../../src/portal/parts/layout.ts';
import { POLICY, sendPage } from '../../src/portal/visitor.ts';

/** The path of the sandbox on its server. */
export const MOUNT = '/demo/payments';

/** Every page says that no real money is involved. */
export function frame(title: string, content: Html): Html {
  return layout(
    title,
    html`<p class="notice" role="note"><strong>Payment sandbox: no real money.</strong> Use test cards only.</p>
    ${content}`,
    { visitor: { name: 'Signed in' } },
  );
}

/** A page for an address that has expired or never existed, with a way back. */
export function sendDeadEnd(reply: HttpReply, status: number, end: DeadEnd): HttpReply {
  const { title, text, back = '/' } = end;
  const label = back === '/' ? 'Go to the home page' : 'Back to the service';
  const content = html`<h1>${title}</h1><p class="lead">${text}</p><p><a href="${back}">${label}</a></p>`;
  return sendPage(reply.code(status), frame(title, content));
}

interface DeadEnd {
  readonly title: string;
  readonly text: string;
  readonly back?: string;
}

/** A page whose form redirects to another site in the end: browsers apply `form-action` to that redirect, too. */
export function sendFormPage(reply: HttpReply, page: Html, target: string): HttpReply {
  const origin = URL.parse(target)?.origin;
  const policy = origin === undefined ? POLICY : POLICY.replace("form-action 'self'", `form-action 'self' ${origin}`);
  return sendPage(reply, page, policy);
}

export function alertText(problem: string | undefined, title = 'Request failed'): Html | null {
  return problem === undefined ? null : notice('bad', title, problem);
}
