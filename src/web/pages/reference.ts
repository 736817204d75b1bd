import { REFERENCE } from '../docs/library.ts';
import { type Html, html } from '../html.ts';
import { codeBlock } from '../parts/code-block.ts';
import { anchorLink, renderInline, renderMarkdown } from '../parts/markdown.ts';
import { type OperationContext, operationSection } from '../parts/operation-section.ts';
import { scrollArea } from '../parts/scroll-area.ts';
import { type ApiContract, listCommonErrors, listOperations, type Operation } from '../reference/contract.ts';
import type { DocsPage } from './docs.ts';

/** The API reference: the contract as one page, with an anchor for each operation. */
export function referencePage(contract: ApiContract, publicUrl: string): DocsPage {
  const operations = listOperations(contract);
  const context = { contract, publicUrl, commonErrors: listCommonErrors(operations) };
  const article = html`<h1>API reference</h1>
    ${renderMarkdown(contract.info.description, '').article}
    ${codeBlock('Base address', publicUrl)}
    <p>Version ${contract.info.version} · <a href="/api/v1/openapi.json">openapi.json</a> (OpenAPI 3.1) ·
      <a href="/docs">Quick start</a> · <a href="/docs/authentication">Authentication</a> · <a href="/docs/limits">Rate limits</a></p>
    ${overview(operations)}
    ${contract.tags.map((tag) => group(tag, operations, context))}
    ${commonErrors(context)}
    ${headerTable(contract)}`;
  const entries = operations.map(({ summary, operationId }) => ({
    title: summary,
    address: `${REFERENCE.address}#${operationId}`,
  }));
  return {
    title: REFERENCE.title,
    address: REFERENCE.address,
    article,
    headings: [],
    open: { address: REFERENCE.address, entries },
    description: 'Every operation of the Firmament API: parameters, responses, errors and examples.',
    isWide: true,
  };
}

function overview(operations: readonly Operation[]): Html {
  const row = ({ method, path, operationId, summary }: Operation) => html`<tr>
    <td><a href="#${operationId}">${summary}</a></td>
    <td><span class="keep"><span class="method">${method.toUpperCase()}</span> <code>${path}</code></span></td></tr>`;
  return html`${heading('Operations', 'operations')}${scrollArea(
    'Operations',
    html`<table class="stack"><thead><tr><th scope="col">Operation</th><th scope="col">Request</th></tr></thead>
    <tbody>${operations.map(row)}</tbody></table>`,
  )}`;
}

function group(
  { name, description }: ApiContract['tags'][number],
  operations: readonly Operation[],
  context: OperationContext,
): Html {
  const members = operations.filter(({ tags: [tag] }) => tag === name);
  return html`${heading(name, name.toLowerCase())}<p class="quiet">${description}</p>
    ${members.map((operation) => operationSection(operation, context))}`;
}

function commonErrors({ commonErrors: codes }: OperationContext): Html {
  return html`${heading('Errors of every operation', 'common-errors')}
    <p>All errors have <a href="/docs/errors">the same shape</a>. Besides its own errors, an operation can answer with these:</p>
    <ul class="codes">${codes.map((code) => html`<li><a href="/docs/errors/${code}"><code>${code}</code></a></li>`)}</ul>`;
}

/** Some headers are optional in some responses, and have a second entry for that. */
function headerTable({ components: { headers } }: ApiContract): Html {
  const names = Object.keys(headers).filter((name) => !name.startsWith('Optional-'));
  const row = (name: string) =>
    html`<tr><td><code>${name}</code></td><td>${renderInline(headers[name]?.description ?? '')}</td></tr>`;
  return html`${heading('Response headers', 'headers')}${scrollArea(
    'Response headers',
    html`<table><thead><tr><th scope="col">Header</th><th scope="col">Meaning</th></tr></thead>
    <tbody>${names.map(row)}</tbody></table>`,
  )}`;
}

function heading(text: string, anchor: string): Html {
  return html`<h2 id="${anchor}">${text} ${anchorLink({ text, anchor })}</h2>`;
}
