import { type Html, html } from '../html.ts';
import { codeBlock } from '../parts/code-block.ts';
import { layout, type Visitor } from '../parts/layout.ts';
import { facts, nationalFields } from '../parts/register-fields.ts';
import { statusBadge } from '../parts/results.ts';
import { nameCountry } from '../text/country-name.ts';
import { plainText, showText } from '../text/display-text.ts';
import { writeCount, writeDate, writeMoment } from '../text/formatting.ts';
import { type Field, flatten, indentJson, readWritten, type Written } from '../text/record-fields.ts';
import { writeCurl } from '../text/search-address.ts';
import { signInAddress } from '../visitor.ts';

/** A record as the API gives it. */
interface Entity {
  readonly id: string;
  readonly countryCode: string;
  readonly canonicalName: string;
  readonly status: string;
  readonly legalForm: string | null;
  readonly registeredAt: string | null;
  readonly updatedAt: string;
  readonly registry: Written;
  readonly sourceData: Written;
  readonly registrations: readonly Readonly<Record<string, string | null>>[];
  readonly provenance: Readonly<Record<string, string>> | null;
}

export interface EntityView {
  readonly visitor: Visitor;
  readonly publicUrl: string;
  /** EntityDetail as JSON. */
  readonly text: string;
  /** Requests left in the period. */
  readonly left: number;
}

export function entityPage({ visitor, publicUrl, text, left }: EntityView): Html {
  const entity = readWritten(text) as unknown as Entity;
  const { canonicalName, countryCode, provenance } = entity;
  const country = nameCountry(countryCode);
  return layout(
    plainText(canonicalName),
    html`<p class="crumbs"><a href="/explore">Explore</a> › <a href="/explore?country=${countryCode}">${country}</a></p>
    <h1 class="name" dir="auto">${showText(canonicalName)}</h1>
    <p class="facts">${statusBadge(entity.status)} <span>${country}</span></p>
    <p class="cost">This record counted as one request; ${writeCount(left)} left in this period.</p>
    <div class="record">
      <div>
        ${section('record', 'Record', normalizedFields(entity, country))}
        ${section('registrations', 'Registrations', registrations(entity))}
        ${section('national', 'National fields', nationalFields(entity.registry))}
      </div>
      <div>${section('provenance', 'Where it comes from', provenanceFields(provenance))}</div>
    </div>
    ${section('source', 'Original source row', sourceTable(entity))}
    <section aria-labelledby="json-title" id="json">
      <h2 id="json-title">JSON</h2>
      ${codeBlock('curl', writeCurl(`${publicUrl}/api/v1/entities/${entity.id}`))}
      <figure class="code tall">
        <figcaption>The whole record</figcaption>
        <button type="button" class="copy" data-copy aria-label="Copy: the whole record">Copy</button>
        <pre tabindex="0" role="group" aria-label="The whole record as JSON"><code translate="no">${indentJson(text)}</code></pre>
      </figure>
    </section>`,
    { section: '/explore', visitor, scripts: ['copy.js'] },
  );
}

function section(id: string, title: string, content: Html): Html {
  return html`<section aria-labelledby="${id}-title" id="${id}"><h2 id="${id}-title">${title}</h2>${content}</section>`;
}

function normalizedFields(entity: Entity, country: string): Html {
  const { canonicalName, status, legalForm, registeredAt, updatedAt, id } = entity;
  return facts([
    ['Name', showText(canonicalName)],
    ['Status', status.replaceAll('_', ' ')],
    ['Country', country],
    ['Legal form', legalForm === null ? null : showText(legalForm)],
    ['Registered', registeredAt === null ? null : writeDate(registeredAt)],
    ['Last changed here', writeMoment(Date.parse(updatedAt))],
    ['Id', html`<code>${id}</code>`],
  ]);
}

function registrations({ registrations: list }: Entity): Html {
  if (list.length === 0) return html`<p class="empty">None.</p>`;
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Registrations">
    <table>
      <thead><tr><th>Number</th><th>Kind</th><th>Authority</th><th>Status there</th><th>From</th><th>Until</th></tr></thead>
      <tbody>${list.map(
        (each) => html`<tr>
          <td><code>${showText(each.number ?? '')}</code></td><td>${each.type}</td><td>${showText(each.authority ?? '')}</td>
          <td>${showText(each.status ?? '')}</td><td>${writeDate(each.registeredAt ?? '')}</td><td>${writeDate(each.endedAt ?? '')}</td>
        </tr>`,
      )}</tbody>
    </table>
  </div>`;
}

function sourceTable({ sourceData }: Entity): Html {
  const fields = flatten(sourceData);
  const row = ({ path, value }: Field) => html`<tr>
    <th scope="row">${showText(path.join(' › '))}</th>
    <td dir="auto">${value === '' ? html`<span class="empty">empty</span>` : showText(value)}</td>
  </tr>`;
  return html`<p>Every field of the source, named and written as there.</p>
    <div class="scroll" tabindex="0" role="group" aria-label="Original source row">
      <table class="source"><thead><tr><th>Field</th><th>Value</th></tr></thead><tbody>${fields.map(row)}</tbody></table>
    </div>`;
}

function provenanceFields(provenance: Entity['provenance']): Html {
  if (provenance === null) return html`<p class="empty">Not known.</p>`;
  const { publisher, file, hash, row, importedAt, sourceUrl, licence, register } = provenance;
  return facts([
    ['Register', html`<code>${register}</code>`],
    ['Publisher', showText(publisher ?? '')],
    ['File', showText(file ?? '')],
    ['SHA-256', html`<code class="hash">${(hash ?? '').replace('sha256:', '')}</code>`],
    ['Row', writeCount(Number(row))],
    ['Imported', writeMoment(Date.parse(importedAt ?? ''))],
    ['Primary source', html`<a href="${sourceUrl}" rel="noreferrer noopener">${sourceUrl}</a>`],
    ['Licence', showText(licence ?? '')],
  ]);
}

/** Records are for accounts: a visitor learns how to get in. */
export function signInToReadPage(path: string): Html {
  return layout(
    'Sign in to open records',
    html`<h1>Sign in to open records</h1>
    <p class="lead">Records show every field of the source and the file they come from. The free plan has 1,000 requests a month; a
    record counts as one.</p>
    <p><a class="button" href="${signInAddress(path)}">Sign in</a> <a href="/explore">Back to search</a></p>`,
    { section: '/explore', visitor: 'stranger' },
  );
}
