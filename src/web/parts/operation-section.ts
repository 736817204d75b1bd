import { type Html, html } from '../html.ts';
import { type ApiContract, findSuccess, listErrors, type Operation, type Parameter } from '../reference/contract.ts';
import { exampleOf } from '../reference/examples.ts';
import { describeLimits, type Field, listFields, writeType } from '../reference/fields.ts';
import { makeExample, writeCurl, writePython, writeTypeScript } from '../reference/requests.ts';
import { isOpenable, isTriable, tryAddress } from '../reference/trials.ts';
import { highlight } from '../text/highlight.ts';
import { codeBlock } from './code-block.ts';
import { codeTabs } from './code-tabs.ts';
import { anchorLink, renderInline } from './markdown.ts';

export interface OperationContext {
  readonly contract: ApiContract;
  /** The address of this server, for the examples. */
  readonly publicUrl: string;
  /** Error codes that the page explains once for all operations. */
  readonly commonErrors: readonly string[];
}

/** One operation: what it does and accepts, next to an example of its request and response. */
export function operationSection(operation: Operation, context: OperationContext): Html {
  const { operationId, summary, description, method, path, head } = operation;
  return html`<section class="operation">
    <div>
      <h2 id="${operationId}">${summary} ${anchorLink({ text: summary, anchor: operationId })}</h2>
      <p class="request"><span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code></p>
      ${description && html`<p>${renderInline(description)}</p>`}
      <p class="quiet">${describeCredentials(operation)}${head && ' HEAD is supported, and charged like GET.'}</p>
      ${parameterList(operation, context)}
      ${bodyList(operation, context)}
      ${responseDetails(operation, context)}
      ${errorList(operation, context)}
    </div>
    <div class="example">${examples(operation, context)}</div>
  </section>`;
}

function describeCredentials({ security }: Operation): Html {
  if (security.length === 0) return html`No credentials needed.`;
  const key = html`an <a href="/docs/authentication#api-keys">API key</a>`;
  const session = html`a <a href="/docs/authentication#sessions">session</a>`;
  const [takesKey, takesSession] = ['apiKey', 'session'].map((name) => security.some((scheme) => name in scheme));
  if (takesKey && takesSession) return html`Needs ${key} or ${session}.`;
  return html`Needs ${takesKey ? key : session}.`;
}

function parameterList({ parameters = [] }: Operation, { contract }: OperationContext): Html | false {
  const item = ({ name, in: place, required, description = '', schema }: Parameter) =>
    definition({
      name,
      notes: [
        writeType(schema, contract),
        ...(place === 'query' ? [] : [`in the ${place}`]),
        ...(required ? ['required'] : []),
      ],
      text: [description, ...describeLimits(schema)].join(' '),
    });
  return parameters.length > 0 && html`<h3>Parameters</h3><dl class="fields">${parameters.map(item)}</dl>`;
}

function bodyList({ requestBody }: Operation, { contract }: OperationContext): Html | undefined {
  return (
    requestBody && html`<h3>Body</h3>${fieldList(listFields(requestBody.content['application/json'].schema, contract))}`
  );
}

function responseDetails(operation: Operation, { contract }: OperationContext): Html {
  const { status, response } = findSuccess(operation);
  const schema = response.content?.['application/json'].schema;
  const fields = schema === undefined ? [] : listFields(schema, contract);
  return html`<h3>Response</h3>
    <p><code>${status}</code> ${renderInline(response.description)}</p>
    ${fields.length > 0 && html`<details><summary>Fields of the response (${fields.length})</summary>${fieldList(fields)}</details>`}`;
}

function fieldList(fields: readonly Field[]): Html {
  const item = ({ path, type, isOptional, description }: Field) =>
    definition({ name: path, notes: [type, ...(isOptional ? ['optional'] : [])], text: description });
  return html`<dl class="fields">${fields.map(item)}</dl>`;
}

function definition({ name, notes, text }: { name: string; notes: readonly string[]; text: string }): Html {
  return html`<div><dt><code>${name}</code> <span class="quiet">${notes.join(', ')}</span></dt>
    <dd>${renderInline(text)}</dd></div>`;
}

/** Leaves out what every operation can answer. */
function errorList(operation: Operation, { commonErrors }: OperationContext): Html | false {
  const errors = listErrors(operation).filter(({ code }) => !commonErrors.includes(code));
  const item = ({ status, code }: (typeof errors)[number]) =>
    html`<li>${status} <a href="/docs/errors/${code}"><code>${code}</code></a></li>`;
  return errors.length > 0 && html`<h3>Errors</h3><ul class="codes">${errors.map(item)}</ul>`;
}

function examples(operation: Operation, { contract, publicUrl }: OperationContext): Html {
  const { response } = findSuccess(operation);
  const schema = response.content?.['application/json'].schema;
  const example = schema && exampleOf(schema, contract);
  // The contract itself has no fields that an example could show.
  const isEmpty = example === undefined || JSON.stringify(example) === '{}';
  const request = makeExample(operation, contract);
  const tabs = codeTabs(operation.operationId, [
    { name: 'curl', code: highlight(writeCurl(request, publicUrl), 'sh') },
    { name: 'TypeScript', code: highlight(writeTypeScript(request, publicUrl), 'ts') },
    { name: 'Python', code: highlight(writePython(request, publicUrl), 'python') },
  ]);
  return html`${tabs}
    ${tryLink(operation)}
    ${!isEmpty && codeBlock('Response', highlight(JSON.stringify(example, null, 2), 'json'), 'tall')}`;
}

function tryLink(operation: Operation): Html | false {
  const { operationId, summary, path } = operation;
  const link = (address: string, text: string, note: string) =>
    html`<p><a class="button quiet" href="${address}">${text}<span class="hidden">: ${summary}</span></a> <span class="quiet">${note}</span></p>`;
  if (isTriable(operation)) return link(tryAddress(operationId), 'Try it', 'with your account, on this site');
  return isOpenable(operation) && link(path, 'Open it', 'in this browser');
}
