import type { PricedOperation } from '../../accounts/charging/operation.ts';
import { plainText, showText } from '../../base/display-text.ts';
import type { EntitySummary } from '../../base/entity-summary.ts';
import { fail, statusOf } from '../../base/errors.ts';
import { type Html, html } from '../../base/html.ts';
import { isUuid } from '../../base/ids.ts';
import { dayWindow } from '../../base/period.ts';
import { findLastPage, validateReturnPath } from '../../base/requests/same-origin.ts';
import { createVisitorLimit, type VisitorLimits } from '../../base/requests/visitor-limit.ts';
import { type Deadline, startDeadline, within } from '../../base/system/deadline.ts';
import type { Routes } from '../../http/app.ts';
import type { HttpReply } from '../../http/reply.ts';
import type { HttpRequest } from '../../http/request.ts';
import type { RecordExcerpt } from '../../registry/records/shown-record.ts';
import {
  applyLegends,
  type SourceRecord,
  type SourceValue,
  type SplitRegistry,
  splitRegistry,
  toRecord,
} from '../../registry/records/source-values.ts';
import type { RegisterState } from '../../registry/registry.ts';
import { MAX_PAGE } from '../../search/parameters.ts';
import { highlight } from '../docs/highlight.ts';
import { sendConfirmation, sendDenied } from '../pages/messages.ts';
import { codeBlock, factList } from '../parts/blocks.ts';
import { layout, messagePage, type Visitor } from '../parts/layout.ts';
import { freePlanHint } from '../parts/plans.ts';
import { showPlace, statusBadge, UNNAMED } from '../parts/search/results.ts';
import type { PageServices } from '../services.ts';
import { formatAmount, formatCount, formatMoment, formatWait, nameCountry } from '../text/formatting.ts';
import { indentJson } from '../text/record-fields.ts';
import { formatCurl } from '../text/search-address.ts';
import {
  classifyNavigation,
  describeVisitor,
  findSignedIn,
  keepForBack,
  sendPage,
  signInAddress,
  startCharge,
} from '../visitor.ts';
import { commonFacts, createShowMore, LIST_PAGE_SIZE, registerFields, type ShowMore } from './fields.ts';
import { commonLists, entityListPage, type Registration, registrationsTable } from './lists.ts';
import { HOLDING_LEVELS, hasOwnership, listIssuer, OWNER_LEVELS, type OwnershipView, ownership } from './owners.ts';
import { proofPage } from './proof.ts';
import { type Provenance, provenanceSection, sourceSection } from './source.ts';
import { copyable, isSummaryComplete, recordActions, recordSummary, statusSentence } from './summary.ts';
import { listLifeEvents, TIMELINE_LENGTH, type Timeline, timeline } from './timeline.ts';

/**
 * Pages of records. Everything that can fail is done before the charge is final, so a failure costs nothing. Visitors may
 * open a limited number of records, without the source row and the JSON.
 */
export function registerEntity(app: Routes, services: PageServices, limits: VisitorLimits): void {
  const { publicUrl, registry, changes, executor, proofs, clock, isPrepared } = services;
  const takeVisit = createVisitorLimit(limits, dayWindow);

  /** Sends the result of `answer`, and charges the request of a signed-in user. */
  async function serve(
    request: HttpRequest<EntityRoute>,
    reply: HttpReply,
    { answer, preview = false, waitMs = 0 }: Served,
  ): Promise<HttpReply> {
    const deadline = startDeadline();
    const signedIn = await findSignedIn(request, services, deadline);
    const id = request.params.id.toLowerCase();
    const visitor = describeVisitor(signedIn);
    const navigation = classifyNavigation(request, services.site);
    if (signedIn === undefined) {
      const path = `/entities/${readId(id)}`;
      if (!preview) {
        const text =
          'With an account you also see long lists, every source field and the JSON of a record. Opening one uses one request.';
        return invite(reply.code(statusOf('session_required')), 'Sign in to see the complete record', path, text);
      }
      if (navigation === 'speculative') return sendConfirmation(request, reply, { visitor, navigation });
      return previewRecord(request, reply, { id, deadline });
    }
    if (navigation !== 'own') return sendConfirmation(request, reply, { visitor, navigation });
    const operation: PricedOperation<string, string, Answer> = {
      price: 'unit',
      read: readId,
      waitMs: () => waitMs,
      answer: (id, { limits: { quota }, caller, deadline }) => {
        const results = findResults(request);
        return answer({ id, visitor, results, left: quota.remaining, account: caller.accountId, deadline });
      },
      isFree: ({ isFree = false }) => isFree,
    };
    const charged = await executor.perform(operation, startCharge(signedIn.account, id, deadline));
    if (charged.outcome === 'failed') throw charged.error;
    if (charged.outcome === 'answered') return charged.answer.send();
    return sendDenied(reply, visitor, charged, clock.now());
  }

  async function previewRecord(
    request: HttpRequest,
    reply: HttpReply,
    { id, deadline }: { readonly id: string; readonly deadline: Deadline },
  ): Promise<HttpReply> {
    if (!isPrepared()) throw fail('service_unavailable', { retryAfter: 1 });
    const now = clock.now();
    const until = takeVisit(request.network, now);
    if (until !== undefined) {
      reply.code(statusOf('rate_limit_exceeded')).header('Retry-After', Math.ceil((until - now) / 1000));
      const text =
        `Without an account you can open ${formatAmount(limits.perAddress, 'record')} per day, as long as the daily limit for all visitors ` +
        `is not reached. Try again in ${formatWait(until - now)}, or sign in now.`;
      return invite(reply, 'Sign in to open more records', `/entities/${id}`, text);
    }
    const work = {
      id,
      visitor: 'anonymous',
      results: findResults(request),
      account: request.network,
      deadline,
    } as const;
    return sendPage(reply, await within(deadline, showRecord(work), 'the record'));
  }

  async function showRecord({ id, visitor, results, left, account, deadline }: Work): Promise<Html> {
    const { version, content: excerpt } = requireFound(await registry.findExcerpt(id));
    // The history ends with the version of the record, so that an import between the two reads does not change only one of the results.
    const past = requireFound(await changes.findHistory(id, { upTo: version, limit: TIMELINE_LENGTH }));
    const history = { changes: past.data, hasMore: past.meta.hasMore };
    const now = clock.now();
    const registers = await registry.listRegisters(now);
    const ownership = await readOwnership({ id, account, deadline }, excerpt.value);
    return entityPage({ visitor, publicUrl: publicUrl(), excerpt, history, ownership, registers, now, results, left });
  }

  /** Reads owners and holdings. Runs no statement for registers that publish no parties. */
  async function readOwnership(
    { id, account, deadline }: Pick<Work, 'id' | 'account' | 'deadline'>,
    { register, registry: fields }: RecordExcerpt['value'],
  ): Promise<OwnershipView | undefined> {
    const { parties } = registry;
    if (!parties.isShown(String(register))) return undefined;
    const list = requireFound(await parties.list(id, {}));
    const { managingLou } = toRecord(toRecord(fields).lei);
    const isKnown = managingLou !== undefined && list.coverage === 'available';
    return {
      issuer: isKnown ? await parties.find(list.register, String(managingLou)) : undefined,
      parties: list,
      owners: requireFound(await parties.walk(id, 'owners', OWNER_LEVELS, account, deadline)),
      holdings: requireFound(await parties.walk(id, 'holdings', HOLDING_LEVELS, account, deadline)),
    };
  }

  function findResults(request: HttpRequest): string | undefined {
    const path = validateReturnPath(findLastPage(request, services.site), '');
    return path.startsWith('/explore?') ? path : undefined;
  }

  async function showList({ id, visitor, left }: ChargedWork, { pointer, page }: ListRequest): Promise<Html> {
    const window = { pointer, first: (page - 1) * LIST_PAGE_SIZE, count: LIST_PAGE_SIZE };
    const list = requireFound(await registry.findList(id, window)).content;
    if (list === undefined)
      throw fail('not_found', { message: 'This record has no such list: open the record to see its lists.' });
    return entityListPage({ visitor, id, pointer, page, list, left });
  }

  app.get<EntityRoute>('/entities/:id', (request, reply) =>
    serve(request, reply, {
      preview: readPointer(request.query) === '',
      async answer(work) {
        const wanted = readListRequest(request.query);
        const page = wanted === undefined ? await showRecord(work) : await showList(work, wanted);
        return { send: () => sendPage(keepForBack(reply), page) };
      },
    }),
  );

  app.get<EntityRoute>('/entities/:id/proof', (request, reply) =>
    serve(request, reply, {
      waitMs: proofs.maxCallMs,
      async answer({ id, visitor, left, account }) {
        const { content: excerpt } = requireFound(await registry.findExcerpt(id));
        const result = requireFound(await proofs.prove(id, account));
        const page = proofPage({ visitor, id, excerpt, result, left });
        return { isFree: typeof result === 'string', send: () => sendPage(reply, page) };
      },
    }),
  );

  app.get<EntityRoute>('/entities/:id/json', (request, reply) =>
    serve(request, reply, {
      async answer({ id }) {
        const { content } = requireFound(await registry.findEntity(id));
        return { send: () => reply.type('application/json; charset=utf-8').send(content) };
      },
    }),
  );
}

function invite(reply: HttpReply, title: string, path: string, text: string): HttpReply {
  const links = html`<p><a class="button" href="${signInAddress(path)}">Sign in</a> <a href="/explore">Back to search</a></p>`;
  const frame = { section: '/explore', visitor: 'anonymous' } as const;
  return sendPage(reply, messagePage(title, `${text} ${freePlanHint()}`, links, frame));
}

interface EntityRoute {
  readonly Params: { readonly id: string };
  readonly Querystring: Readonly<Record<string, string | string[] | undefined>>;
}

interface Work {
  readonly id: string;
  readonly visitor: Visitor;
  readonly results: string | undefined;
  /** Requests left in the current period. Undefined for visitors. */
  readonly left?: number;
  /** The account, or the network of a visitor. Walks through owners of different accounts take turns. */
  readonly account: string;
  readonly deadline: Deadline;
}

interface ChargedWork extends Work {
  readonly left: number;
}

interface Served {
  /** Whether visitors may also see the page. */
  readonly preview?: boolean;
  readonly waitMs?: number;
  answer(work: ChargedWork): Promise<Answer>;
}

interface Answer {
  readonly isFree?: boolean;
  send(): HttpReply;
}

interface ListRequest {
  readonly pointer: string;
  readonly page: number;
}

function readPointer(query: EntityRoute['Querystring']): string {
  return [query.list].flat().at(-1) ?? '';
}

/** Reads which list to show. Undefined for the page of the whole record. */
function readListRequest(query: EntityRoute['Querystring']): ListRequest | undefined {
  const pointer = readPointer(query);
  if (pointer === '') return undefined;
  const page = [query.page].flat().at(-1) || '1';
  if (!/^[1-9]\d*$/.test(page))
    throw fail('invalid_request', { message: 'The page must be a whole number, 1 or higher.' });
  return { pointer, page: Math.min(Number(page), MAX_PAGE) };
}

/** Users see a malformed id as not found, not as an invalid request. */
function readId(id: string): string {
  if (!isUuid(id)) throw fail('entity_not_found');
  return id;
}

function requireFound<T>(found: T | undefined): T {
  if (found === undefined) throw fail('entity_not_found');
  return found;
}

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
  /** Undefined if the register publishes no parties, or if parties are switched off. */
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
  const isNameless = split.common.nameMissing === true;
  return layout(
    `${plainText(isNameless ? `${UNNAMED} (${canonicalName})` : canonicalName)} · ${nameCountry(countryCode)}`,
    html`<p class="crumbs">${results === undefined ? html`<a href="/explore">Explore</a>` : html`<a href="${results}" data-back>← Back to results</a>`} ›
      <a href="/explore?country=${countryCode}">${nameCountry(countryCode)}</a></p>
    <h1 class="name${canonicalName.length > LONG_NAME && ' long'}" dir="auto">${isNameless ? UNNAMED : showText(canonicalName)}</h1>
    ${isNameless && html`<p class="hint">The register does not publish the name of this company, such as that of a person who trades alone.</p>`}
    <p class="facts">${statusBadge(status)} ${showPlace(entity)}
    ${manifest !== undefined && html`<span>${showText(manifest.name)}</span>`}</p>
    ${statusSentence(status, split.common)}
    ${provenance?.synthetic && html`<p class="hint">This company is fictitious: it comes from a generated file.</p>`}
    ${recordSummary({ entity, common: split.common, registers, showMore })}
    ${recordActions(entity, manifest, visitor)}
    ${left !== undefined && html`<p class="cost">This record used one request; ${formatCount(left)} left in this period.</p>`}
    <nav class="jump" aria-label="On this page">${sections.map(({ id, title }) => html`<a href="#${id}">${title}</a>`)}</nav>
    ${sections.map(({ id, title, content }) => html`<section aria-labelledby="${id}-title" id="${id}"><h2 id="${id}-title">${title}</h2>${content}</section>`)}`,
    { section: '/explore', visitor, scripts: ['copy.js', 'back.js'], isUnlisted: true, ...share(entity) },
  );
}

/** The address and description for previews of a link to the record, such as in a chat. */
function share({ id, status, registrationNumber, legalForm, city, countryCode }: Entity) {
  const facts = [registrationNumber, legalForm, city, nameCountry(countryCode), status.replaceAll('_', ' ')];
  return { path: `/entities/${id}`, description: plainText(facts.filter((fact) => fact !== null).join(' · ')) };
}

/** Names longer than this are shown in smaller letters. */
const LONG_NAME = 70;

function listSections(view: EntityView, entity: Entity, split: SplitRegistry, showMore: ShowMore): Section[] {
  const { visitor, publicUrl, excerpt, history } = view;
  const { id, updatedAt, registrations, sourceData } = entity;
  const { common } = split;
  const section = (name: string, title: string, content: Html): Section => ({ id: name, title, content });
  const lists = commonLists(common, showMore)
    .filter(({ name }) => name !== 'activities' || !isSummaryComplete(common))
    .map(({ name, title, table }) => section(name, title, table));
  const inEnglish = entity.status.replaceAll('_', ' ');
  const facts = factList([
    ...commonFacts(common, inEnglish, showMore),
    ...listIssuer(view.ownership),
    ['Last updated', formatMoment(Date.parse(updatedAt))],
    ['ID', copyable(id)],
  ]);
  const meaning = [toRecord(common.status).label, inEnglish] as const;
  const numbers = html`${registrationsTable(registrations, meaning)}${showMore('/registrations', registrations.length)}`;
  const events = listLifeEvents(entity, common);
  const owners = view.ownership ? [section('ownership', 'Owners and holdings', ownership(view.ownership))] : [];
  const isOwned = view.ownership !== undefined && hasOwnership(view.ownership);
  const people = lists.filter(({ id }) => id === 'parties');
  const hasHistory = history.changes.length + events.length > 0;
  const curl = codeBlock('curl', formatCurl(`${publicUrl}/api/v1/entities/${id}`));
  // Visitors do not see the source row and the JSON, because they could otherwise copy the data without an account.
  const complete =
    visitor === 'anonymous'
      ? [section('source', 'Source row and JSON', inviteToSource(id))]
      : [
          section('source', 'Original source row', sourceSection(id, sourceData, excerpt.totals)),
          section('json', 'JSON', html`${curl}${completeRecord(excerpt, id)}`),
        ];
  return [
    ...(isOwned ? owners : people),
    ...(hasHistory ? [section('history', 'History', timeline(history, events, entity.provenance?.file))] : []),
    section('details', 'Details', facts),
    section('registrations', 'Registrations', numbers),
    ...(isOwned ? people : owners),
    ...lists.filter((each) => !people.includes(each)),
    section('register', 'Register details', nationalFields(entity, split, showMore)),
    section('provenance', 'Source', provenanceSection(entity.provenance, excerpt.totals, view)),
    ...complete,
  ];
}

function nationalFields({ provenance }: Entity, { common, national }: SplitRegistry, showMore: ShowMore): Html {
  const register = provenance?.register;
  return html`<p class="quiet">Fields that only this register has. <a href="/docs/fields">All common fields</a>${
    register !== undefined && html` · <a href="/docs/registers/${register}">All fields of this register</a>`
  }</p>${registerFields(national, common, showMore)}`;
}

function inviteToSource(id: string): Html {
  return html`<p>Sign in to see every source field exactly as published, and the complete record as JSON.
    ${freePlanHint()}</p>
    <p><a class="button" href="${signInAddress(`/entities/${id}`)}">Sign in</a></p>`;
}

/** Longer JSON is not coloured, because colours double the size of a page. */
const MAX_COLOURED = 10_000;

/** Shows the JSON of a record. For a long record, shows a link, because a browser takes seconds to show several megabytes of text. */
function completeRecord({ json, length }: RecordExcerpt, id: string): Html {
  const language = length > MAX_COLOURED ? 'text' : 'json';
  if (json !== null) return codeBlock('Complete record', highlight(indentJson(json), language), 'tall');
  return html`<p>This record is too large to be shown here: its JSON has ${formatCount(length)} characters.
    <a href="/entities/${id}/json">Open the complete JSON</a> (uses one request).</p>`;
}
