import type { SignedIn } from '../../accounts/accounts.ts';
import type { UserOperation } from '../../accounts/charging/operation.ts';
import { Failure, fail, statusOf } from '../../base/errors.ts';
import { type Html, html } from '../../base/html.ts';
import { type Deadline, startDeadline } from '../../base/system/deadline.ts';
import type { HttpReply } from '../../http/reply.ts';
import type { AccountPages, AccountRequest, Handler } from '../account.ts';
import {
  type ApiContract,
  isTriable,
  listFormParameters,
  listOperations,
  type Operation,
  operationAddress,
  type Parameter,
  requestPath,
  tryAddress,
} from '../docs/contract.ts';
import { highlight } from '../docs/highlight.ts';
import { REFERENCE } from '../docs/library.ts';
import { codeBlock, notice, selectField, textField } from '../parts/blocks.ts';
import type { Visitor } from '../parts/layout.ts';
import { limitNotice } from '../parts/plans.ts';
import { findPage } from '../preview.ts';
import type { PageServices } from '../services.ts';
import { formatAmount, formatCount } from '../text/formatting.ts';
import { indentJson } from '../text/record-fields.ts';
import { formatCurl } from '../text/search-address.ts';
import { describeVisitor, sendPage, startCharge } from '../visitor.ts';
import { docsPage } from './docs.ts';
import { SAMPLE_QUERY } from './home.ts';

type Values = Readonly<Record<string, string>>;

/** Operations of the API that users try on a page, charged to their account like any other request of the portal. */
export function registerTryIt(services: PageServices, pages: AccountPages): void {
  const { clock, search, userOperations, publicUrl } = services;

  /** Runs the operation, and returns the status and content of the page. */
  async function send(
    operation: Operation,
    values: Values,
    { account }: SignedIn,
    { raw: response }: HttpReply,
    deadline: Deadline,
  ): Promise<readonly [status: number, content: Html]> {
    const run = userOperations.get(operation.operationId) as UserOperation;
    const reply = await run(values, { ...startCharge(account, null, deadline), response });
    if (reply.outcome === 'denied') return [statusOf(reply.code), limitNotice(reply, clock.now())];
    if (reply.outcome === 'answered') {
      const { answer, units, limits } = reply;
      const cost = `${units === 0 ? 'This request was free' : 'This request used one'}; ${formatCount(limits.quota.remaining)} left in this period.`;
      const curl = formatCurl(publicUrl() + requestPath(operation, values));
      return [200, showAnswer(Buffer.from(answer.body ?? '').toString(), cost, curl)];
    }
    const { error } = reply;
    if (!(error instanceof Failure) || statusOf(error.code) >= 500) throw error;
    return [statusOf(error.code), notice('bad', 'Request failed', error.message)];
  }

  /** The values with which an empty form is filled in: enough for a request that finds something. */
  async function findExamples(operation: Operation, accountId: string, deadline: Deadline): Promise<Values> {
    const names = listFormParameters(operation).map(({ name }) => name);
    const needsCompany = names.includes('id') || names.includes('name');
    const none = { data: [] };
    const found = needsCompany ? await findPage(search, SAMPLE_QUERY, accountId, deadline).catch(() => none) : none;
    const { id = '', canonicalName = '' } = found.data[0] ?? {};
    const known: Values = { id, name: canonicalName, q: SAMPLE_QUERY.q, pageSize: '3', limit: '3' };
    return Object.fromEntries(names.map((name) => [name, known[name] ?? '']));
  }

  function findTried({ params }: AccountRequest): Operation {
    const operations = listOperations(services.contract() as ApiContract);
    const found = operations.find((each) => each.operationId === params.operation && isTriable(each));
    if (found === undefined) throw fail('not_found');
    return found;
  }
  const address = tryAddress(':operation');
  const show: Handler = async (request, reply, signedIn) => {
    const operation = findTried(request);
    const given = await findExamples(operation, signedIn.account.accountId, startDeadline());
    return sendPage(reply, tryItPage(operation, given, undefined, describeVisitor(signedIn)));
  };
  pages.get(address, show, (request) => tryAddress(findTried(request).operationId));
  const answer: Handler = async (request, reply, signedIn) => {
    const operation = findTried(request);
    const { body = {} } = request;
    const values = listFormParameters(operation).map(({ name }) => [name, body[name]?.trim() ?? ''] as const);
    // An empty optional parameter is not sent.
    const given: Values = Object.fromEntries(values.filter(([, value]) => value !== ''));
    const [status, content] = await send(operation, given, signedIn, reply, startDeadline());
    return sendPage(reply.code(status), tryItPage(operation, given, content, describeVisitor(signedIn)));
  };
  pages.post({ [address]: answer }, ({ url }) => url);
}

/** Parameters that the form shows at first, besides those that are required or have a value. */
const COMMON = ['q', 'words', 'country', 'status'];

/** Longer replies are cut: browsers take seconds to show megabytes. */
const MAX_SHOWN = 20_000;

function tryItPage(operation: Operation, given: Values, answer: Html | undefined, visitor: Visitor): Html {
  const { operationId, summary, method, path } = operation;
  const title = `Try it: ${summary}`;
  const show = (parameter: Parameter) => field(parameter, given[parameter.name] ?? '');
  const { common = [], rare = [] } = Object.groupBy(listFormParameters(operation), ({ name, required }) =>
    required || COMMON.includes(name) || given[name] ? 'common' : 'rare',
  );
  const article = html`<h1>${title}</h1>
    <p class="request"><span class="method">${method.toUpperCase()}</span> <code>${path}</code> ·
      <a href="${operationAddress(operation)}">Reference</a></p>
    <form class="try" method="post" action="${tryAddress(operationId)}#answer">
      ${common.map(show)}
      ${rare.length > 0 && html`<details><summary>${formatAmount(rare.length, 'more parameter')}</summary><div class="grid">${rare.map(show)}</div></details>`}
      <button>Send (uses 1 request)</button>
    </form>
    <div id="answer">${answer}</div>`;
  return docsPage({ title, address: REFERENCE.address, article, headings: [] }, visitor);
}

function field({ name, required, schema: { examples, enum: values } }: Parameter, value: string): Html {
  const label = html`<code>${name}</code>${required && html` <span class="quiet">required</span>`}`;
  const hint = examples === undefined ? '' : `e.g. ${examples[0]}`;
  const attributes = html`${required && html`required `}placeholder="${hint}" maxlength="200"`;
  const options = values?.map((one) => [String(one), String(one)] as const);
  return html`<div class="field">${options === undefined ? textField({ name, label, value, attributes }) : selectField(name, label, [['', 'not sent'], ...options], value)}</div>`;
}

function showAnswer(body: string, cost: string, curl: Html): Html {
  const isLong = body.length > MAX_SHOWN;
  const shown = isLong ? `${indentJson(body).slice(0, MAX_SHOWN)}\n…` : indentJson(body);
  return html`<h2>Response</h2>
    <p class="cost">${cost}</p>
    ${codeBlock('Request', curl)}
    ${codeBlock('200 OK', highlight(shown, 'json'), 'tall')}
    ${isLong && html`<p class="hint">The response has ${formatCount(body.length)} characters. This is the start of it.</p>`}`;
}
