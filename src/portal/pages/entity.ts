import type { EntityStatus } from '../../base/entity-status.ts';
import type { EntitySummary } from '../../base/entity-summary.ts';
import type { RecordExcerpt } from '../../registry/records/shown-record.ts';
import type { RegisterState } from '../../registry/registry.ts';
import { type Html, html } from '../html.ts';
import { freePlanHint } from '../parts/account/plans.ts';
import { codeBlock, factList } from '../parts/blocks.ts';
import { layout, type Visitor } from '../parts/layout.ts';
import { commonFacts, commonLists, type Registration, registrationsTable } from '../parts/record/common-fields.ts';
import { type OwnershipView, ownership } from '../parts/record/ownership.ts';
import { type Provenance, provenanceFacts, provenanceSentence } from '../parts/record/provenance-facts.ts';
import { copyable, isSummaryComplete, recordSummary } from '../parts/record/record-summary.ts';
import { registerFields } from '../parts/record/register-fields.ts';
import { sourceTables } from '../parts/record/source-table.ts';
import { listLifeEvents, type Timeline, timeline } from '../parts/record/timeline.ts';
import { createShowMore, type ShowMore } from '../parts/record/values.ts';
import { showPlace, statusBadge } from '../parts/search/results.ts';
import { plainText, showText } from '../text/display-text.ts';
import { formatAmount, formatCount, formatDate, formatMoment, nameCountry } from '../text/formatting.ts';
import { highlight } from '../text/highlight.ts';
import {
  flatten,
  indentJson,
  isList,
  isRecord,
  readRecord,
  type SourceRecord,
  type SourceValue,
  type SplitRegistry,
  splitRegistry,
} from '../text/record-fields.ts';
import { formatCurl } from '../text/search-address.ts';
import { signInAddress } from '../visitor.ts';

interface Entity extends EntitySummary {
  readonly registry: SourceRecord;
  readonly sourceData: SourceValue;
  readonly registrations: readonly Registration[];
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
  return layout(
    plainText(canonicalName),
    html`<p class="crumbs">${results === undefined ? html`<a href="/explore">Explore</a>` : html`<a href="${results}" data-back>← Back to results</a>`} ›
      <a href="/explore?country=${countryCode}">${nameCountry(countryCode)}</a></p>
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
  const { id, updatedAt, registrations, sourceData } = entity;
  const { common } = split;
  const section = (name: string, title: string, content: Html): Section => ({ id: name, title, content });
  const lists = commonLists(common, showMore)
    .filter(({ name }) => name !== 'activities' || !isSummaryComplete(common))
    .map(({ name, title, table }) => section(name, title, table));
  const facts = factList([
    ...commonFacts(common, showMore),
    ['Last updated', formatMoment(Date.parse(updatedAt))],
    ['ID', copyable(id)],
  ]);
  const numbers = html`${registrationsTable(registrations)}${showMore('/registrations', registrations.length)}`;
  const events = listLifeEvents(entity, common);
  const hasHistory = history.changes.length + events.length > 0;
  const curl = codeBlock('curl', formatCurl(`${publicUrl}/api/v1/entities/${id}`));
  // Neither is on the page of a visitor, who could otherwise copy the data without an account.
  const complete =
    visitor === 'anonymous'
      ? [section('source', 'Source row and JSON', inviteToSource(id))]
      : [
          section('source', 'Original source row', source(id, sourceData, excerpt.totals)),
          section('json', 'JSON', html`${curl}${completeRecord(excerpt, id)}`),
        ];
  return [
    section('details', 'Details', facts),
    section('registrations', 'Registrations', numbers),
    ...lists,
    ...(view.ownership ? [section('ownership', 'Owners and holdings', ownership(view.ownership))] : []),
    section('register', 'Register details', nationalFields(entity, split, showMore)),
    ...(hasHistory ? [section('history', 'History', timeline(history, events))] : []),
    section('provenance', 'Source', provenance(view, entity)),
    ...complete,
  ];
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

function source(id: string, sourceData: SourceValue, totals: RecordExcerpt['totals']): Html {
  const fields = flatten(sourceData, totals, { path: [], pointer: '/sourceData' });
  return html`<p>Every source field, exactly as published.</p>
    <details class="fold"><summary>Show ${formatAmount(fields.length, 'source field')}</summary>${sourceTables(id, fields)}</details>`;
}

function inviteToSource(id: string): Html {
  return html`<p>Sign in to see every source field exactly as published, and the complete record as JSON.
    ${freePlanHint()}</p>
    <p><a class="button" href="${signInAddress(`/entities/${id}`)}">Sign in</a></p>`;
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

type Register = RegisterState['register'];

interface ActedOn {
  readonly id: string;
  readonly registrationNumber: string | null;
  readonly provenance: { readonly synthetic?: boolean | null } | null;
}

/** What a user can do with a record: prove it, take it along, and look at the page that its register has for the company. */
function recordActions(entity: ActedOn, register: Register | undefined, visitor: Visitor): Html {
  const { id, provenance } = entity;
  const official = provenance?.synthetic ? undefined : findCompanyPage(entity, register);
  const address = (path: string) => (visitor === 'anonymous' ? signInAddress(`/entities/${id}`) : path);
  const cost = visitor === 'anonymous' ? 'Proof and JSON need a free account' : 'Proof and JSON: 1 request each';
  return html`<p class="record-actions">
    ${provenance !== null && html`<a class="button" href="${address(`/entities/${id}/proof`)}">Prove this record</a>`}
    <a class="button quiet" href="${address(`/entities/${id}/json`)}"${visitor !== 'anonymous' && html` download="${id}.json"`}>Download JSON</a>
    ${official !== undefined && html`<a class="button quiet" href="${official}" rel="noreferrer noopener">Open in the official register</a>`}
    ${visitor !== 'anonymous' && html`<button class="quiet" form="watch">Watch this company</button>`}
    <span class="quiet">${cost}</span>
  </p>
  ${visitor !== 'anonymous' && html`<form id="watch" method="post" action="/dashboard/monitors/watch"><input type="hidden" name="entity" value="${id}"></form>`}`;
}

/** Undefined if the register has no pages of companies. */
export function findCompanyPage(
  { registrationNumber }: Pick<ActedOn, 'registrationNumber'>,
  register: Pick<Register, 'companyPage'> | undefined,
): string | undefined {
  if (registrationNumber === null) return undefined;
  const write = (text: string) => encodeURIComponent(text);
  return register?.companyPage
    ?.replace('{number}', write(registrationNumber))
    .replace('{digits}', write(registrationNumber.replace(/[^0-9A-Za-z]/g, '')));
}

/** What the status of a company means, and what its register says. False for active companies, where it is clear. */
function statusSentence(status: string, { status: published, endedAt }: SourceRecord): Html | false {
  const sentence = Object.hasOwn(SENTENCES, status) && SENTENCES[status as EntityStatus];
  if (!sentence) return false;
  const { label, since } = readRecord(published);
  const day = status === 'dissolved' ? (endedAt ?? since) : since;
  const details = [
    label !== undefined && html`its register says “${showText(String(label))}”`,
    day !== undefined && html`since ${formatDate(String(day))}`,
  ].filter((part) => part !== false);
  const [first, second] = details;
  return html`<p class="meaning">${sentence}${first && html` (${first}${second && html` ${second}`})`}.</p>`;
}

const SENTENCES: Readonly<Record<EntityStatus, string | false>> = {
  active: false,
  inactive: 'This company is suspended, has stopped or is not registered at present, but it has not ended',
  in_liquidation: 'This company is being wound up',
  insolvent: 'This company is in bankruptcy, administration or another insolvency procedure',
  dissolved: 'This company has ended: it was dissolved, struck off or merged into another one',
  delisted: 'This company is missing from the latest complete file of its register. This is its last known state',
  unknown: 'Whether this company is active is not known',
};

/** Fields of `registry` that explain codes, by the name of the field with the code. */
type Legends = Readonly<Record<string, string>>;

/** Replaces codes by what the legends of the record say, and drops the legends, which do not describe the company. */
function applyLegends(registry: SourceRecord, legends: Legends): SourceRecord {
  const texts = new Map<string, SourceRecord>();
  for (const [field, legend] of Object.entries(legends)) {
    const labels = registry[legend];
    if (labels !== undefined && isRecord(labels)) texts.set(field, labels);
  }
  const dropped = new Set(Object.values(legends));
  const decode = (value: SourceValue, field: string): SourceValue => {
    if (isList(value)) return value.map((item) => decode(item, field));
    if (isRecord(value)) {
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, decode(inner, key)]));
    }
    return (typeof value === 'string' ? texts.get(field)?.[value] : undefined) ?? value;
  };
  const facts = Object.entries(registry).filter(([key]) => !dropped.has(key));
  return Object.fromEntries(facts.map(([key, value]) => [key, decode(value, key)]));
}
