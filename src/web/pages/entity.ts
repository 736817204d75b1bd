import type { EntitySummary } from '../../core/entity-summary.ts';
import { type Html, html } from '../html.ts';
import { codeBlock } from '../parts/code-block.ts';
import { commonFacts, showLegalForm } from '../parts/common-facts.ts';
import { commonLists } from '../parts/common-lists.ts';
import { factList } from '../parts/fact-list.ts';
import { layout, type Visitor } from '../parts/layout.ts';
import { freePlanHint } from '../parts/plan-cards.ts';
import { type Provenance, provenanceFacts } from '../parts/provenance-facts.ts';
import { registerFields } from '../parts/register-fields.ts';
import { identifyingFacts, resultList, statusBadge } from '../parts/results.ts';
import { scrollArea } from '../parts/scroll-area.ts';
import { nameCountry } from '../text/country-name.ts';
import { plainText, showText } from '../text/display-text.ts';
import { formatCount, formatDate, formatMoment } from '../text/formatting.ts';
import { type Field, flatten, indentJson, parseSourceJson, type SourceValue } from '../text/record-fields.ts';
import { type SourceRecord, splitRegistry } from '../text/registry-split.ts';
import { formatCurl } from '../text/search-address.ts';
import { signInAddress } from '../visitor.ts';

interface Registration {
  readonly authority: string;
  readonly type: string;
  readonly number: string;
  readonly numberValid?: boolean | null;
  readonly status: string | null;
  readonly statusCode?: string | null;
  readonly registeredAt: string | null;
  readonly endedAt: string | null;
}

/** A record as the API gives it. */
interface Entity extends EntitySummary {
  readonly registry: SourceRecord;
  readonly sourceData: SourceValue;
  readonly registrations: readonly Registration[];
  /** The same company in other registers. */
  readonly related?: readonly EntitySummary[] | null;
  readonly provenance: Provenance | null;
}

export interface EntityView {
  readonly visitor: Visitor;
  readonly publicUrl: string;
  /** EntityDetail as JSON. */
  readonly text: string;
  /** Requests left in the current period. */
  readonly left: number;
}

export function entityPage({ visitor, publicUrl, text, left }: EntityView): Html {
  const entity = parseSourceJson(text) as unknown as Entity;
  const { canonicalName, countryCode, provenance } = entity;
  const country = nameCountry(countryCode);
  const { common, national } = splitRegistry(entity.registry);
  return layout(
    plainText(canonicalName),
    html`<p class="crumbs"><a href="/explore">Explore</a> › <a href="/explore?country=${countryCode}">${country}</a></p>
    <h1 class="name" dir="auto">${showText(canonicalName)}</h1>
    <p class="facts">${statusBadge(entity.status)} <span>${country}</span> ${identifyingFacts(entity)}</p>
    <p class="cost">This record used one request; ${formatCount(left)} left in this period.
    ${provenance?.synthetic && 'This company is fictitious: it comes from a generated file.'}</p>
    <div class="record">
      <div>
        ${section('record', 'Record', recordFields(entity, country, common))}
        ${section('registrations', 'Registrations', registrations(entity))}
        ${entity.related && entity.related.length > 0 && section('related', 'The same company in other registers', resultList(entity.related))}
        ${commonLists(common).map(({ name, title, table }) => section(name, title, table))}
        ${section('register', 'National fields', nationalFields(national, provenance?.register))}
      </div>
      <div>${section('provenance', 'Source', provenance === null ? html`<p class="empty">Unknown.</p>` : provenanceFacts(provenance))}</div>
    </div>
    ${section('source', 'Original source row', sourceTable(entity))}
    <section aria-labelledby="json-title" id="json">
      <h2 id="json-title">JSON</h2>
      ${codeBlock('curl', formatCurl(`${publicUrl}/api/v1/entities/${entity.id}`))}
      ${codeBlock('Complete record', indentJson(text), 'tall')}
    </section>`,
    { section: '/explore', visitor, scripts: ['copy.js'] },
  );
}

function section(id: string, title: string, content: Html): Html {
  return html`<section aria-labelledby="${id}-title" id="${id}"><h2 id="${id}-title">${title}</h2>${content}</section>`;
}

function recordFields(entity: Entity, country: string, common: SourceRecord): Html {
  const { canonicalName, status, legalForm, registeredAt, updatedAt, id } = entity;
  return factList([
    ['Name', showText(canonicalName)],
    ['Status', status.replaceAll('_', ' ')],
    ['Country', country],
    ['Legal form', legalForm === null ? null : showLegalForm(legalForm, common)],
    ['Registered', registeredAt === null ? null : formatDate(registeredAt)],
    ...commonFacts(common),
    ['Last updated', formatMoment(Date.parse(updatedAt))],
    ['ID', html`<code>${id}</code>`],
  ]);
}

function registrations({ registrations: list }: Entity): Html {
  if (list.length === 0) return html`<p class="empty">No registrations.</p>`;
  const table = html`<table>
    <thead><tr><th>Number</th><th>Type</th><th>Authority</th><th>Register status</th><th>From</th><th>Until</th></tr></thead>
    <tbody>${list.map(
      (each) => html`<tr>
        <td class="keep"><code>${showText(each.number)}</code>${each.numberValid === false && html` <span class="badge warn">check digits wrong</span>`}</td>
        <td>${each.type}</td><td>${showText(each.authority)}</td>
        <td>${showText(each.status ?? '')}${each.statusCode && html` <span class="quiet">${showText(each.statusCode)}</span>`}</td>
        <td class="keep">${formatDate(each.registeredAt ?? '')}</td><td class="keep">${formatDate(each.endedAt ?? '')}</td>
      </tr>`,
    )}</tbody>
  </table>`;
  return scrollArea('Registrations', table);
}

function nationalFields(national: SourceRecord, register: string | undefined): Html {
  return html`<p>Fields that only this register has. <a href="/docs/fields">All common fields</a>${
    register !== undefined && html` · <a href="/docs/registers/${register}">All fields of this register</a>`
  }</p>${registerFields(national)}`;
}

function sourceTable({ sourceData }: Entity): Html {
  const fields = flatten(sourceData);
  const row = ({ path, value }: Field) => html`<tr>
    <th scope="row">${showText(path.join(' › '))}</th>
    <td dir="auto">${value === '' ? html`<span class="empty">empty</span>` : showText(value)}</td>
  </tr>`;
  const table = html`<table class="source">
    <thead><tr><th>Field</th><th>Value</th></tr></thead>
    <tbody>${fields.map(row)}</tbody>
  </table>`;
  return html`<p>Every source field, exactly as published.</p>${scrollArea('Original source row', table)}`;
}

/** Records need an account, so visitors are asked to sign in. */
export function signInToReadPage(path: string): Html {
  return layout(
    'Sign in to open records',
    html`<h1>Sign in to open records</h1>
    <p class="lead">A record shows every source field and the file it comes from. Opening one uses one request.
    ${freePlanHint()}</p>
    <p><a class="button" href="${signInAddress(path)}">Sign in</a> <a href="/explore">Back to search</a></p>`,
    { section: '/explore', visitor: 'anonymous' },
  );
}
