import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { SignedIn } from '../../accounts/accounts.ts';
import { Failure, fail, statusOf } from '../../core/errors.ts';
import type { Fields } from '../../core/requests/form-fields.ts';
import type { Trial } from '../../operations/operation.ts';
import { type Deadline, startDeadline } from '../../system/deadline.ts';
import { REFERENCE } from '../docs/library.ts';
import { registerAccountForms } from '../forms.ts';
import { findPage } from '../found-page.ts';
import { type Html, html } from '../html.ts';
import { docsPage } from '../pages/docs.ts';
import { codeBlock, notice } from '../parts/blocks.ts';
import type { Visitor } from '../parts/layout.ts';
import { limitNotice } from '../parts/search/limit-notices.ts';
import {
  type ApiContract,
  isTriable,
  listOperations,
  listTrialParameters,
  type Operation,
  operationAddress,
  type Parameter,
  trialPath,
  tryAddress,
} from '../reference/contract.ts';
import { sendPage } from '../send-page.ts';
import type { PageServices } from '../services.ts';
import { formatCount } from '../text/formatting.ts';
import { highlight } from '../text/highlight.ts';
import { indentJson } from '../text/record-fields.ts';
import { formatCurl } from '../text/search-address.ts';
import { describeVisitor, findSignedIn, sendToSignIn, startCharge } from '../visitor.ts';
import { SAMPLE_QUERY } from './home.ts';

type Values = Readonly<Record<string, string>>;

/** Operations of the API that users try on a page, charged to their account like any other request of the portal. */
export function registerTryIt(app: FastifyInstance, services: PageServices): void {
  const { clock, search, trials, publicUrl } = services;

  async function send(
    operation: Operation,
    values: Values,
    { account }: SignedIn,
    { raw: response }: FastifyReply,
    deadline: Deadline,
  ): Promise<TryOutcome & { readonly status: number }> {
    const trial = trials.get(operation.operationId) as Trial;
    const reply = await trial(values, { ...startCharge(account, null, deadline), response });
    if (reply.outcome === 'answered') {
      const { answer, units, limits } = reply;
      const body = Buffer.from(answer.body ?? '').toString();
      const path = trialPath(operation, values);
      return { kind: 'answered', path, body, units, left: limits.quota.remaining, status: 200 };
    }
    if (reply.outcome === 'denied') {
      return { kind: 'refused', notice: limitNotice(reply, clock.now()), status: statusOf(reply.code) };
    }
    const { error } = reply;
    if (!(error instanceof Failure) || statusOf(error.code) >= 500) throw error;
    return { kind: 'refused', notice: notice('bad', 'Request failed', error.message), status: statusOf(error.code) };
  }

  /** What an empty form is filled in with: enough for a request that finds something. */
  async function findExamples(operation: Operation, accountId: string, deadline: Deadline): Promise<Values> {
    const names = listTrialParameters(operation).map(({ name }) => name);
    const needsCompany = names.includes('id') || names.includes('name');
    const found = needsCompany
      ? await findPage(search, SAMPLE_QUERY, accountId, deadline).catch(() => undefined)
      : undefined;
    const { id = '', canonicalName = '' } = found?.data[0] ?? {};
    const known: Values = { id, name: canonicalName, q: SAMPLE_QUERY.q, pageSize: '3', limit: '3' };
    return Object.fromEntries(names.map((name) => [name, known[name] ?? '']));
  }

  async function serve(request: FastifyRequest<TryRoute>, reply: FastifyReply, fields?: Fields): Promise<FastifyReply> {
    const deadline = startDeadline();
    const operation = findOperation(services.contract() as ApiContract, request.params.operation);
    const signedIn = await findSignedIn(request, services, deadline);
    if (signedIn === undefined) return sendToSignIn(reply, tryAddress(operation.operationId));
    const page = { visitor: describeVisitor(signedIn), publicUrl: publicUrl(), operation };
    if (fields === undefined) {
      const given = await findExamples(operation, signedIn.account.accountId, deadline);
      return sendPage(reply, tryItPage({ ...page, given, outcome: undefined }));
    }
    const given = readValues(operation, fields);
    const outcome = await send(operation, given, signedIn, reply, deadline);
    return sendPage(reply.code(outcome.status), tryItPage({ ...page, given, outcome }));
  }

  const address = tryAddress(':operation');
  app.get<TryRoute>(address, (request, reply) => serve(request, reply));
  const register = (scope: FastifyInstance) => {
    scope.post<TryRoute & { Body: Fields | undefined }>(address, (request, reply) =>
      serve(request, reply, request.body ?? {}),
    );
  };
  registerAccountForms(app, services, register, ({ url }) => url);
}

interface TryRoute {
  readonly Params: { readonly operation: string };
}

function findOperation(contract: ApiContract, id: string): Operation {
  const found = listOperations(contract).find((each) => each.operationId === id && isTriable(each));
  if (found === undefined) throw fail('not_found');
  return found;
}

/** Without empty fields: an optional parameter that is empty is not sent. */
function readValues(operation: Operation, fields: Fields): Values {
  const given = listTrialParameters(operation).map(({ name }) => [name, fields[name]?.trim() ?? ''] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== ''));
}

export interface TryView {
  readonly visitor: Visitor;
  readonly publicUrl: string;
  readonly operation: Operation;
  /** The values of the form. */
  readonly given: Readonly<Record<string, string>>;
  readonly outcome: TryOutcome | undefined;
}

type TryOutcome =
  | {
      readonly kind: 'answered';
      readonly path: string;
      readonly body: string;
      readonly units: number;
      readonly left: number;
    }
  | { readonly kind: 'refused'; readonly notice: Html };

/** Longer replies are cut: browsers take seconds to show megabytes. */
const MAX_SHOWN = 20_000;

/** A form for one operation of the API, and what it answered. */
function tryItPage({ visitor, publicUrl, operation, given, outcome }: TryView): Html {
  const { operationId, summary, method, path } = operation;
  const title = `Try it: ${summary}`;
  const fields = listTrialParameters(operation);
  const article = html`<h1>${title}</h1>
    <p class="request"><span class="method">${method.toUpperCase()}</span> <code>${path}</code> ·
      <a href="${operationAddress(operation)}">Reference</a></p>
    <form class="try" method="post" action="${tryAddress(operationId)}#answer">
      ${fields.map((parameter) => field(parameter, given[parameter.name] ?? ''))}
      <button>Send (uses 1 request)</button>
    </form>
    <div id="answer">${outcome?.kind === 'refused' && outcome.notice}
      ${outcome?.kind === 'answered' && answer(outcome, publicUrl)}</div>`;
  return docsPage({ title, address: REFERENCE.address, article, headings: [] }, visitor);
}

function field({ name, required, schema }: Parameter, value: string): Html {
  const { examples, enum: values } = schema;
  const hint = examples === undefined ? '' : `e.g. ${examples[0]}`;
  const own = html`id="try-${name}" name="${name}"${required && html` required`}`;
  const option = (text: string) =>
    html`<option value="${text}"${text === value && html` selected`}>${text === '' ? 'not sent' : text}</option>`;
  return html`<div class="field"><label for="try-${name}"><code>${name}</code>${required && html` <span class="quiet">required</span>`}</label>
    ${
      values === undefined
        ? html`<input ${own} value="${value}" placeholder="${hint}" autocomplete="off" maxlength="200">`
        : html`<select ${own}>${['', ...values.map(String)].map(option)}</select>`
    }</div>`;
}

function answer({ path, body, units, left }: Extract<TryOutcome, { kind: 'answered' }>, publicUrl: string): Html {
  const shown = body.length > MAX_SHOWN ? `${indentJson(body).slice(0, MAX_SHOWN)}\n…` : indentJson(body);
  return html`<h2>Response</h2>
    <p class="cost">${units === 0 ? 'This request was free' : 'This request used one'}; ${formatCount(left)} left in this period.</p>
    ${codeBlock('Request', formatCurl(publicUrl + path))}
    ${codeBlock('200 OK', highlight(shown, 'json'), 'tall')}
    ${body.length > MAX_SHOWN && html`<p class="hint">The response has ${formatCount(body.length)} characters. This is the start of it.</p>`}`;
}
