import { type Html, html } from '../../base/html.ts';
import {
  type ApiContract,
  exampleOf,
  findGroup,
  findSuccess,
  isNullable,
  isOpenable,
  isTriable,
  listCommonErrors,
  listErrors,
  listOperations,
  listReferenceEntries,
  makeExample,
  OPERATION_GROUPS,
  type Operation,
  type OperationGroup,
  operationAddress,
  type Parameter,
  resolve,
  type Schema,
  tryAddress,
  writeCurl,
  writePython,
  writeTypeScript,
} from '../docs/contract.ts';
import { highlight } from '../docs/highlight.ts';
import { REFERENCE } from '../docs/library.ts';
import { codeBlock, scrollArea, stackTable } from '../parts/blocks.ts';
import { anchorLink, renderInline, renderMarkdown } from '../parts/markdown.ts';

/** The API reference: the contract as an overview, and a page for each group of operations. */
export function referencePage(contract: ApiContract, publicUrl: string, group?: OperationGroup) {
  const { address } = group ?? REFERENCE;
  return {
    ...(group === undefined ? overviewPage(contract, publicUrl) : groupPage(group, contract, publicUrl)),
    address,
    headings: [],
    open: { address: REFERENCE.address, entries: listReferenceEntries(contract, address) },
    isWide: true,
    scripts: ['reference.js'],
  };
}

function overviewPage(contract: ApiContract, publicUrl: string) {
  const operations = listOperations(contract);
  const article = html`<h1>${REFERENCE.title}</h1>
    ${renderMarkdown(contract.info.description, '').article}
    ${codeBlock('Base address', publicUrl)}
    <p>Version ${contract.info.version} · <a href="/api/v1/openapi.json">openapi.json</a> (OpenAPI 3.1) ·
      <a href="/docs">Quick start</a> · <a href="/docs/authentication">Authentication</a> · <a href="/docs/limits">Rate limits</a></p>
    ${OPERATION_GROUPS.map(
      (group) => html`<h2 id="${group.address.replace(/.*\//, '')}"><a href="${group.address}">${group.title}</a></h2>
      <p class="quiet">${group.description}</p>
      ${operationTable(group, operations)}`,
    )}
    ${heading('Errors of every operation', 'common-errors')}
    <p>All errors have <a href="/docs/errors">the same shape</a>. Besides its own errors, an operation can answer with these:</p>
    <ul class="codes">${listCommonErrors(operations).map((code) => html`<li>${errorLink(code)}</li>`)}</ul>
    ${headerTable(contract)}`;
  const description = 'Every operation of the Firmament API: parameters, responses, errors and examples.';
  return { title: REFERENCE.title, article, description };
}

function groupPage(group: OperationGroup, contract: ApiContract, publicUrl: string) {
  const operations = listOperations(contract);
  const members = operations.filter((operation) => findGroup(operation) === group);
  const common = listCommonErrors(operations);
  const article = html`<p class="crumbs"><a href="${REFERENCE.address}">${REFERENCE.title}</a></p>
    <h1>${group.title}</h1>
    <p class="lead">${group.description}</p>
    ${members.length > 1 && operationTable(group, members)}
    ${members.map((operation) => operationSection(operation, contract, publicUrl, common))}
    <p class="quiet">Every operation can also answer with <a href="${REFERENCE.address}#common-errors">the errors of all operations</a>.
      <a href="${REFERENCE.address}#headers">Response headers</a> are the same everywhere.</p>`;
  return { title: `${group.title} · ${REFERENCE.title}`, article, description: group.description };
}

/** A table of operations, with a link to each operation. */
function operationTable(group: OperationGroup, operations: readonly Operation[]): Html {
  const row = (operation: Operation) => html`<tr>
    <td><a href="${operationAddress(operation)}">${operation.summary}</a></td>
    <td class="request"><span class="method ${operation.method}">${operation.method.toUpperCase()}</span> <code>${operation.path}</code></td></tr>`;
  return scrollArea(
    `Operations: ${group.title}`,
    html`<table class="stack operations"><thead class="hidden"><tr><th scope="col">Operation</th><th scope="col">Request</th></tr></thead>
    <tbody>${operations.filter((operation) => findGroup(operation) === group).map(row)}</tbody></table>`,
  );
}

/** A table of response headers. Headers that are optional in some responses have a second entry in the contract, which is left out. */
function headerTable({ components: { headers } }: ApiContract): Html {
  const names = Object.keys(headers).filter((name) => !name.startsWith('Optional-'));
  return html`${heading('Response headers', 'headers')}${stackTable('Response headers', names, [
    { label: 'Header', show: (name) => html`<code>${name}</code>` },
    { label: 'Meaning', show: (name) => renderInline(headers[name]?.description ?? '') },
  ])}`;
}

function heading(text: string, anchor: string): Html {
  return html`<h2 id="${anchor}">${text} ${anchorLink({ text, anchor })}</h2>`;
}

/** One operation: what it does and accepts, next to an example of its request and response. The page explains `common` errors once. */
function operationSection(
  operation: Operation,
  contract: ApiContract,
  publicUrl: string,
  common: readonly string[],
): Html {
  const { operationId, summary, description, method, path, head, requestBody, parameters = [] } = operation;
  const [status, response] = findSuccess(operation);
  const schema = response.content?.['application/json'].schema;
  const fields = schema === undefined ? [] : listFields(schema, contract);
  const errors = listErrors(operation).filter(({ code }) => !common.includes(code));
  return html`<section class="operation">
    <div>
      <h2 id="${operationId}">${summary} ${anchorLink({ text: summary, anchor: operationId })}</h2>
      <p class="request"><span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code></p>
      ${description && html`<p>${renderInline(description)}</p>`}
      <p class="quiet">${describeCredentials(operation)}${head && ' HEAD is supported, and charged like GET.'}</p>
      ${parameters.length > 0 && html`<h3>Parameters</h3><dl class="fields">${parameters.map((each) => parameterItem(each, contract))}</dl>`}
      ${requestBody && html`<h3>Body</h3>${fieldList(listFields(requestBody.content['application/json'].schema, contract))}`}
      <h3>Response</h3>
      <p><code>${status}</code> ${renderInline(response.description)}</p>
      ${fields.length > 0 && html`<details><summary>Fields of the response (${fields.length})</summary>${fieldList(fields)}</details>`}
      ${errors.length > 0 && html`<h3>Errors</h3><ul class="codes">${errors.map(({ status, code }) => html`<li>${status} ${errorLink(code)}</li>`)}</ul>`}
    </div>
    <div class="example">${examples(operation, schema && exampleOf(schema, contract), contract, publicUrl)}</div>
  </section>`;
}

const errorLink = (code: string) => html`<a href="/docs/errors/${code}"><code>${code}</code></a>`;

function describeCredentials({ security }: Operation): Html {
  if (security.length === 0) return html`No credentials needed.`;
  const key = html`an <a href="/docs/authentication#api-keys">API key</a>`;
  const session = html`a <a href="/docs/authentication#sessions">session</a>`;
  const [takesKey, takesSession] = ['apiKey', 'session'].map((name) => security.some((scheme) => name in scheme));
  if (takesKey && takesSession) return html`Needs ${key} or ${session}.`;
  return html`Needs ${takesKey ? key : session}.`;
}

function parameterItem(
  { name, in: place, required, description = '', schema }: Parameter,
  contract: ApiContract,
): Html {
  const notes = [writeType(schema, contract), place !== 'query' && `in the ${place}`, required && 'required'];
  return definition(name, notes, [description, ...describeLimits(schema)].join(' '));
}

function fieldList(fields: readonly Field[]): Html {
  const item = ({ path, type, isOptional, description }: Field) =>
    definition(path, [type, isOptional && 'optional'], description);
  return html`<dl class="fields">${fields.map(item)}</dl>`;
}

function definition(name: string, notes: readonly (string | false)[], text: string): Html {
  return html`<div><dt><code>${name}</code> <span class="quiet">${notes.filter((note) => note !== false).join(', ')}</span></dt>
    <dd>${renderInline(text)}</dd></div>`;
}

function examples(operation: Operation, example: unknown, contract: ApiContract, publicUrl: string): Html {
  // The contract itself has no fields that an example could show.
  const isEmpty = example === undefined || JSON.stringify(example) === '{}';
  const request = makeExample(operation, contract);
  const tabs = [
    ['curl', highlight(writeCurl(request, publicUrl), 'sh')],
    ['TypeScript', highlight(writeTypeScript(request, publicUrl), 'ts')],
    ['Python', highlight(writePython(request, publicUrl), 'python')],
  ] as const;
  const name = `lang-${operation.operationId}`;
  // One example is shown. Radio buttons select the example, so that no script is needed.
  const radio = (language: string, at: number) =>
    html`<input type="radio" name="${name}" id="${name}-${at}" value="${language}"${at === 0 && html` checked`}><label for="${name}-${at}">${language}</label>`;
  return html`<fieldset class="tabs"><legend class="hidden">Language of the example</legend>
    ${tabs.map(([language], at) => radio(language, at))}
    ${tabs.map(([language, code]) => codeBlock(language, code))}
  </fieldset>
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

/** A field of a body, by its path, such as `data[].canonicalName`. */
interface Field {
  readonly path: string;
  readonly type: string;
  readonly isOptional: boolean;
  readonly description: string;
}

/** Objects whose fields have their own page. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'data.registry': 'Described in [Fields of a record](/docs/fields).',
};

export function listFields(schema: Schema, contract: ApiContract, prefix = ''): Field[] {
  const { properties = {}, required = [] } = resolve(schema, contract);
  return Object.entries(properties).flatMap(([name, property]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    const field = resolve(property, contract);
    const isOptional = !required.includes(name);
    const link = ELSEWHERE[path];
    const items = field.items && resolve(field.items, contract);
    const description = [field.description ?? items?.description, link].filter((text) => text !== undefined).join(' ');
    const own = { path, type: writeType(property, contract), isOptional, description };
    if (link !== undefined) return [own];
    return [own, ...listFields(items ?? field, contract, items ? `${path}[]` : path)];
  });
}

/** Writes a type, such as `integer`, `date or null` or `list of objects`. */
function writeType(schema: Schema, contract: ApiContract): string {
  const { type, format, items, enum: values, const: value } = resolve(schema, contract);
  const orNull = isNullable(schema) ? ' or null' : '';
  if (items !== undefined) {
    const one = writeType(items, contract);
    return `list of ${one.endsWith('any') ? 'values' : `${one}s`}${orNull}`;
  }
  if (value !== undefined) return `${JSON.stringify(value)}${orNull}`;
  return `${format ?? type ?? (values && 'string') ?? 'any'}${orNull}`;
}

/** The limits of a parameter's values, besides its type. */
export function describeLimits(schema: Schema): string[] {
  const { minimum, maximum, minLength, maxLength, default: normally, enum: values } = schema;
  return [
    values && `One of ${values.map((value) => `\`${value}\``).join(', ')}.`,
    minimum !== undefined && maximum === undefined && `At least ${minimum}.`,
    minimum !== undefined && maximum !== undefined && `${minimum} to ${maximum}.`,
    maxLength !== undefined && maxLength !== minLength && `At most ${maxLength} characters.`,
    normally !== undefined && `Default: \`${normally}\`.`,
  ].filter((text) => typeof text === 'string');
}
