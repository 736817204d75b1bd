import { REFERENCE } from '../docs/library.ts';
import { type Html, html } from '../html.ts';
import { codeBlock } from '../parts/code-block.ts';
import { anchorLink, renderInline, renderMarkdown } from '../parts/markdown.ts';
import { operationSection } from '../parts/operation-section.ts';
import { scrollArea } from '../parts/scroll-area.ts';
import { type ApiContract, listCommonErrors, listOperations, type Operation } from '../reference/contract.ts';
import {
  isInGroup,
  listReferenceEntries,
  OPERATION_GROUPS,
  type OperationGroup,
  operationAddress,
} from '../reference/groups.ts';
import type { DocsPage } from './docs.ts';

/** The API reference: the contract as an overview, and a page for each group of operations. */
export function referencePage(contract: ApiContract, publicUrl: string, group?: OperationGroup): DocsPage {
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

type PageContent = Pick<DocsPage, 'title' | 'article' | 'description'>;

function overviewPage(contract: ApiContract, publicUrl: string): PageContent {
  const operations = listOperations(contract);
  const article = html`<h1>${REFERENCE.title}</h1>
    ${renderMarkdown(contract.info.description, '').article}
    ${codeBlock('Base address', publicUrl)}
    <p>Version ${contract.info.version} · <a href="/api/v1/openapi.json">openapi.json</a> (OpenAPI 3.1) ·
      <a href="/docs">Quick start</a> · <a href="/docs/authentication">Authentication</a> · <a href="/docs/limits">Rate limits</a></p>
    ${OPERATION_GROUPS.map(
      (group) => html`<h2 id="${group.address.replace(/.*\//, '')}"><a href="${group.address}">${group.title}</a></h2>
      <p class="quiet">${group.description}</p>
      ${operationTable(group, operations, ({ operationId }) => html`id="${operationId}"`)}`,
    )}
    ${commonErrors(listCommonErrors(operations))}
    ${headerTable(contract)}`;
  const description = 'Every operation of the Firmament API: parameters, responses, errors and examples.';
  return { title: REFERENCE.title, article, description };
}

function groupPage(group: OperationGroup, contract: ApiContract, publicUrl: string): PageContent {
  const operations = listOperations(contract);
  const members = operations.filter((operation) => isInGroup(operation, group));
  const context = { contract, publicUrl, commonErrors: listCommonErrors(operations) };
  const article = html`<p class="crumbs"><a href="${REFERENCE.address}">${REFERENCE.title}</a></p>
    <h1>${group.title}</h1>
    <p class="lead">${group.description}</p>
    ${members.length > 1 && operationTable(group, members)}
    ${members.map((operation) => operationSection(operation, context))}
    <p class="quiet">Every operation can also answer with <a href="${REFERENCE.address}#common-errors">the errors of all operations</a>.
      <a href="${REFERENCE.address}#headers">Response headers</a> are the same everywhere.</p>`;
  return { title: `${group.title} · ${REFERENCE.title}`, article, description: group.description };
}

/** With a link to each operation, which may have more attributes. */
function operationTable(
  group: OperationGroup,
  operations: readonly Operation[],
  attributes: (operation: Operation) => Html | undefined = () => undefined,
): Html {
  const row = (operation: Operation) => html`<tr>
    <td><a ${attributes(operation)} href="${operationAddress(operation)}">${operation.summary}</a></td>
    <td class="request"><span class="method ${operation.method}">${operation.method.toUpperCase()}</span> <code>${operation.path}</code></td></tr>`;
  return scrollArea(
    `Operations: ${group.title}`,
    html`<table class="stack operations"><thead class="hidden"><tr><th scope="col">Operation</th><th scope="col">Request</th></tr></thead>
    <tbody>${operations.filter((operation) => isInGroup(operation, group)).map(row)}</tbody></table>`,
  );
}

function commonErrors(codes: readonly string[]): Html {
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
