import { REFERENCE } from '../docs/library.ts';
import { type Html, html } from '../html.ts';
import { codeBlock } from '../parts/code-block.ts';
import type { Visitor } from '../parts/layout.ts';
import type { Operation, Parameter } from '../reference/contract.ts';
import { operationAddress } from '../reference/groups.ts';
import { listTrialParameters, tryAddress } from '../reference/trials.ts';
import { formatCount } from '../text/formatting.ts';
import { highlight } from '../text/highlight.ts';
import { indentJson } from '../text/record-fields.ts';
import { formatCurl } from '../text/search-address.ts';
import { docsPage } from './docs.ts';

export interface TryView {
  readonly visitor: Visitor;
  readonly publicUrl: string;
  readonly operation: Operation;
  /** The values of the form. */
  readonly given: Readonly<Record<string, string>>;
  readonly outcome: TryOutcome | undefined;
}

export type TryOutcome =
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
export function tryItPage({ visitor, publicUrl, operation, given, outcome }: TryView): Html {
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
