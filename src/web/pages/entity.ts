import type { EntitySummary } from '../../core/entity-summary.ts';
import type { RecordExcerpt } from '../../records/shown-record.ts';
import type { RegisterState } from '../../registry/registry.ts';
import { type Html, html } from '../html.ts';
import { freePlanHint } from '../parts/account/plan-cards.ts';
import { codeBlock } from '../parts/code-block.ts';
import { layout, type Visitor } from '../parts/layout.ts';
import { commonFacts } from '../parts/record/common-facts.ts';
import { commonLists } from '../parts/record/common-lists.ts';
import { factList } from '../parts/record/fact-list.ts';
import { listLifeEvents } from '../parts/record/life.ts';
import { createShowMore, type ShowMore } from '../parts/record/more-link.ts';
import { type OwnershipView, ownership } from '../parts/record/ownership.ts';
import { type Provenance, provenanceFacts, provenanceSentence } from '../parts/record/provenance-facts.ts';
import { recordActions } from '../parts/record/record-actions.ts';
import { copyable, isSummaryComplete, recordSummary } from '../parts/record/record-summary.ts';
import { registerFields } from '../parts/record/register-fields.ts';
import { type Registration, registrationsTable } from '../parts/record/registrations-table.ts';
import { sourceTables } from '../parts/record/source-table.ts';
import { statusSentence } from '../parts/record/status-sentence.ts';
import { type Timeline, timeline } from '../parts/record/timeline.ts';
import { showPlace, statusBadge } from '../parts/search/results.ts';
import { nameCountry } from '../text/country-name.ts';
import { plainText, showText } from '../text/display-text.ts';
import { formatAmount, formatCount, formatMoment } from '../text/formatting.ts';
import { highlight } from '../text/highlight.ts';
import { applyLegends } from '../text/legends.ts';
import { flatten, indentJson, type SourceValue } from '../text/record-fields.ts';
import { type SourceRecord, type SplitRegistry, splitRegistry } from '../text/registry-split.ts';
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
  readonly history: Timeline;
  /** Undefined if the register publishes no parties, or if they are switched off. */
  readonly ownership?: OwnershipView | undefined;
  readonly registers: readonly RegisterState[];
  readonly now: number;
  /** The page of results that led here. */
  readonly results?: string | undefined;
  /** Requests left in the current period. Undefined for visitors. */
  readonly left?: number | undefined;
}

interface Section {
  readonly id: string;
  readonly title: string;
  readonly content: Html;
}

export function entityPage(view: EntityView): Html {
  const { visitor, excerpt, registers, left, results } = view;
  const entity = excerpt.value as unknown as Entity;
  const { id, canonicalName, countryCode, provenance, status, register } = entity;
  const showMore = createShowMore(id, excerpt.totals, visitor);
  const manifest = registers.find((state) => state.register.id === register)?.register;
  const split = splitRegistry(applyLegends(entity.registry, manifest?.legends ?? {}));
  const sections = listSections(view, entity, split, showMore);
  const country = nameCountry(countryCode);
  return layout(
    plainText(canonicalName),
    html`<p class="crumbs">${results === undefined ? html`<a href="/explore">Explore</a>` : html`<a href="${results}" data-back>← Back to results</a>`} ›
      <a href="/explore?country=${countryCode}">${country}</a></p>
    <h1 class="name${canonicalName.length > LONG_NAME && ' long'}" dir="auto">${showText(canonicalName)}</h1>
    ${split.common.nameMissing === true && html`<p class="hint">The register publishes no name for this company. Its number is shown instead.</p>`}
    <p class="facts">${statusBadge(status)} ${showPlace(entity)}
    ${manifest !== undefined && html`<span>${showText(manifest.name)}</span>`}</p>
    ${statusSentence(status, split.common)}
    ${provenance?.synthetic && html`<p class="hint">This company is fictitious: it comes from a generated file.</p>`}
    ${recordSummary({ entity, common: split.common, registers, showMore })}
    ${recordActions(entity, manifest, visitor)}
    ${left !== undefined && html`<p class="cost">This record used one request; ${formatCount(left)} left in this period.</p>`}
    <nav class="jump" aria-label="On this page">${sections.map(({ id, title }) => html`<a href="#${id}">${title}</a>`)}</nav>
    ${sections.map(({ id, title, content }) => html`<section aria-labelledby="${id}-title" id="${id}"><h2 id="${id}-title">${title}</h2>${content}</section>`)}`,
    { section: '/explore', visitor, scripts: ['copy.js', 'back.js'], isUnlisted: true },
  );
}

/** Longer names are shown in smaller letters. */
const LONG_NAME = 70;

function listSections(view: EntityView, entity: Entity, split: SplitRegistry, showMore: ShowMore): Section[] {
  const { visitor, publicUrl, excerpt, history } = view;
  const { common } = split;
  const lists = commonLists(common, showMore)
    .filter(({ name }) => name !== 'activities' || !isSummaryComplete(common))
    .map(({ name, title, table }) => ({ id: name, title, content: table }));
  const events = listLifeEvents(entity, common);
  const past = { id: 'history', title: 'History', content: timeline(history, events) };
  const complete: Section[] = [
    { id: 'source', title: 'Original source row', content: source(entity, excerpt.totals) },
    { id: 'json', title: 'JSON', content: json(excerpt, entity.id, publicUrl) },
  ];
  const invitation = { id: 'source', title: 'Source row and JSON', content: inviteToSource(entity.id) };
  return [
    { id: 'details', title: 'Details', content: details(entity, common, showMore) },
    { id: 'registrations', title: 'Registrations', content: registrations(entity, showMore) },
    ...lists,
    ...(view.ownership === undefined
      ? []
      : [{ id: 'ownership', title: 'Owners and holdings', content: ownership(view.ownership) }]),
    { id: 'register', title: 'Register details', content: nationalFields(entity, split, showMore) },
    ...(history.changes.length + events.length > 0 ? [past] : []),
    { id: 'provenance', title: 'Source', content: provenance(view, entity) },
    ...(visitor === 'anonymous' ? [invitation] : complete),
  ];
}

function details({ updatedAt, id }: Entity, common: SourceRecord, showMore: ShowMore): Html {
  return factList([
    ...commonFacts(common, showMore),
    ['Last updated', formatMoment(Date.parse(updatedAt))],
    ['ID', copyable(id)],
  ]);
}

function registrations({ registrations: list }: Entity, showMore: ShowMore): Html {
  return html`${registrationsTable(list)}${showMore('/registrations', list.length)}`;
}

function nationalFields({ provenance }: Entity, { common, national }: SplitRegistry, showMore: ShowMore): Html {
  const register = provenance?.register;
  return html`<p class="quiet">Fields that only this register has. <a href="/docs/fields">All common fields</a>${
    register !== undefined && html` · <a href="/docs/registers/${register}">All fields of this register</a>`
  }</p>${registerFields(national, common, showMore)}`;
}

function provenance({ excerpt: { totals }, registers, now }: EntityView, { provenance }: Entity): Html {
  if (provenance === null) return html`<p class="empty">Unknown.</p>`;
  const state = registers.find(({ register }) => register.id === provenance.register);
  return html`${provenanceSentence(provenance, totals)}
    <details class="fold"><summary>Files, hashes and licence</summary>${provenanceFacts(provenance, totals, { state, now })}</details>`;
}

function source({ id, sourceData }: Entity, totals: RecordExcerpt['totals']): Html {
  const fields = flatten(sourceData, totals, { path: [], pointer: '/sourceData' });
  return html`<p>Every source field, exactly as published.</p>
    <details class="fold"><summary>Show ${formatAmount(fields.length, 'source field')}</summary>${sourceTables(id, fields)}</details>`;
}

/** Neither is on the page of a visitor, who could otherwise copy the data without an account. */
function inviteToSource(id: string): Html {
  return html`<p>Sign in to see every source field exactly as published, and the complete record as JSON.
    ${freePlanHint()}</p>
    <p><a class="button" href="${signInAddress(`/entities/${id}`)}">Sign in</a></p>`;
}

function json(excerpt: RecordExcerpt, id: string, publicUrl: string): Html {
  const curl = codeBlock('curl', formatCurl(`${publicUrl}/api/v1/entities/${id}`));
  return html`${curl}${completeRecord(excerpt, id)}`;
}

/** Colours double the size of a page. */
const MAX_COLOURED = 10_000;

/** A browser takes seconds to show a text of several megabytes, so a long record is a link. */
function completeRecord({ json, length }: RecordExcerpt, id: string): Html {
  const language = length > MAX_COLOURED ? 'text' : 'json';
  if (json !== null) return codeBlock('Complete record', highlight(indentJson(json), language), 'tall');
  return html`<p>This record is too large to be shown here: its JSON has ${formatCount(length)} characters.
    <a href="/entities/${id}/json">Open the complete JSON</a> (uses one request).</p>`;
}
