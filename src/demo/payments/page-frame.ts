import type { FastifyReply } from 'fastify';
import { type Html, html } from '../../web/html.ts';
import { layout } from '../../web/parts/layout.ts';
import { POLICY, sendPage } from '../../web/send-page.ts';

/** Where the sandbox is on its server. */
export const MOUNT = '/demo/payments';

/** Nobody shall take the sandbox for a shop. */
export function frame(title: string, content: Html): Html {
  return layout(
    title,
    html`<p class="notice" role="note"><strong>Payment sandbox: no real money.</strong> Cards here are test cards.</p>
    ${content}`,
  );
}

/** A page that has come too late, or never was one, with a way back. */
export function sendDeadEnd(reply: FastifyReply, status: number, end: DeadEnd): FastifyReply {
  const { title, text, back = '/' } = end;
  const label = back === '/' ? 'Go to the start page' : 'Go back to the shop';
  const content = html`<h1>${title}</h1><p class="lead">${text}</p><p><a href="${back}">${label}</a></p>`;
  return sendPage(reply.code(status), frame(title, content));
}

export interface DeadEnd {
  readonly title: string;
  readonly text: string;
  readonly back?: string | undefined;
}

/** A page whose form leads to another site in the end: browsers hold a redirect after a form against the policy too. */
export function sendFormPage(reply: FastifyReply, page: Html, target: string): FastifyReply {
  const origin = URL.parse(target)?.origin;
  const policy = origin === undefined ? POLICY : POLICY.replace("form-action 'self'", `form-action 'self' ${origin}`);
  return sendPage(reply, page, policy);
}

export function alertText(problem: string | undefined): Html | null {
  return problem === undefined ? null : html`<p role="alert">${problem}</p>`;
}
