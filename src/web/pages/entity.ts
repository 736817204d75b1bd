import type { EntitySummary } from '../../core/entity-summary.ts';
import type { RecordExcerpt } from '../../registry/large-record.ts';
import { type Html, html } from '../html.ts';
import { codeBlock } from '../parts/code-block.ts';
import { commonFacts, showLegalForm } from '../parts/common-facts.ts';
import { commonLists } from '../parts/common-lists.ts';
import { factList } from '../parts/fact-list.ts';
import { layout, type Visitor } from '../parts/layout.ts';
import { createShowMore, type ShowMore } from '../parts/more-link.ts';
import { freePlanHint } from '../parts/plan-cards.ts';
import { type Provenance, provenanceFacts } from '../parts/provenance-facts.ts';
import { registerFields } from '../parts/register-fields.ts';
import { type Registration, registrationsTable } from '../parts/registrations-table.ts';
import { identifyingFacts, resultList, statusBadge } from '../parts/results.ts';
import { sourceTable } from '../parts/source-table.ts';
import { nameCountry } from '../text/country-name.ts';
import { plainText, showText } from '../text/display-text.ts';
import { formatCount, formatDate, formatMoment } from '../text/formatting.ts';
import { flatten, indentJson, type SourceValue } from '../text/record-fields.ts';
import { type SourceRecord, splitRegistry } from '../text/registry-split.ts';
import { formatCurl } from '../text/search-address.ts';
import { signInAddress } from '../visitor.ts';

/** The part of a record that its page shows. */
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
  readonly excerpt: RecordExcerpt;
  /** Requests left in the current period. */
  readonly left: number;
}

export function entityPage({ visitor, publicUrl, excerpt, left }: EntityView): Html {
  const entity = excerpt.value as unknown as Entity;
  const { totals } = excerpt;
  const showMore = createShowMore(entity.id, totals);
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
        ${section('record', 'Record', recordFields(entity, country, common, showMore))}
        ${section('registrations', 'Registrations', registrations(entity, showMore))}
        ${entity.related && entity.related.length > 0 && section('related', 'The same company in other registers', related(entity.related, showMore))}
        ${commonLists(common, showMore).map(({ name, title, table }) => section(name, title, table))}
        ${section('register', 'National fields', nationalFields(national, provenance?.register, showMore))}
      </div>
      <div>${section('provenance', 'Source', provenance === null ? html`<p class="empty">Unknown.</p>` : provenanceFacts(provenance, totals))}</div>
    </div>
    ${section('source', 'Original source row', source(entity, totals))}
    <section aria-labelledby="json-title" id="json">
      <h2 id="json-title">JSON</h2>
      ${codeBlock('curl', formatCurl(`${publicUrl}/api/v1/entities/${entity.id}`))}
      ${completeRecord(excerpt, entity.id)}
    </section>`,
    { section: '/explore', visitor, scripts: ['copy.js'] },
  );
}

function section(id: string, title: string, content: Html): Html {
  return html`<section aria-labelledby="${id}-title" id="${id}"><h2 id="${id}-title">${title}</h2>${content}</section>`;
}

function recordFields(entity: Entity, country: string, common: SourceRecord, showMore: ShowMore): Html {
  const { canonicalName, status, legalForm, registeredAt, updatedAt, id } = entity;
  return factList([
    ['Name', showText(canonicalName)],
    ['Status', status.replaceAll('_', ' ')],
    ['Country', country],
    ['Legal form', legalForm === null ? null : showLegalForm(legalForm, common)],
    ['Registered', registeredAt === null ? null : formatDate(registeredAt)],
    ...commonFacts(common, showMore),
    ['Last updated', formatMoment(Date.parse(updatedAt))],
    ['ID', html`<code>${id}</code>`],
  ]);
}

function registrations({ registrations: list }: Entity, showMore: ShowMore): Html {
  return html`${registrationsTable(list)}${showMore('/registrations', list.length)}`;
}

function related(entities: readonly EntitySummary[], showMore: ShowMore): Html {
  return html`${resultList(entities)}${showMore('/related', entities.length)}`;
}

function nationalFields(national: SourceRecord, register: string | undefined, showMore: ShowMore): Html {
  return html`<p>Fields that only this register has. <a href="/docs/fields">All common fields</a>${
    register !== undefined && html` · <a href="/docs/registers/${register}">All fields of this register</a>`
  }</p>${registerFields(national, showMore)}`;
}

function source({ id, sourceData }: Entity, totals: RecordExcerpt['totals']): Html {
  const fields = flatten(sourceData, totals, { path: [], pointer: '/sourceData' });
  return html`<p>Every source field, exactly as published.</p>${sourceTable(id, fields)}`;
}

/** A browser takes seconds to show a text of several megabytes, so a long record is a link. */
function completeRecord({ json, length }: RecordExcerpt, id: string): Html {
  if (json !== null) return codeBlock('Complete record', indentJson(json), 'tall');
  return html`<p>This record is too large to be shown here: its JSON has ${formatCount(length)} characters.
    <a href="/entities/${id}/json">Open the complete JSON</a> (uses one request).</p>`;
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
