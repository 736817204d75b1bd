import type { PricedOperation } from '../../accounts/charging/operation.ts';
import { plainText, showText } from '../../base/display-text.ts';
import { fail, statusOf } from '../../base/errors.ts';
import { type Html, html } from '../../base/html.ts';
import { isUuid } from '../../base/ids.ts';
import { dayWindow } from '../../base/plans.ts';
import { findLastPage, validateReturnPath } from '../../base/requests/same-origin.ts';
import { createVisitorLimit, type VisitorLimits } from '../../base/requests/visitor-limit.ts';
import { type Deadline, startDeadline, within } from '../../base/system/deadline.ts';
import type { Routes } from '../../http/app.ts';
import type { HttpReply } from '../../http/reply.ts';
import type { HttpRequest } from '../../http/request.ts';
import type { RecordExcerpt } from '../../registry/records/shown-record.ts';
import {
  applyLegends,
  listRecords,
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
import { codeBlock, factList, section } from '../parts/blocks.ts';
import { layout, messagePage, type Visitor } from '../parts/layout.ts';
import { freePlanHint } from '../parts/plans.ts';
import { showPlace, statusBadge, UNNAMED } from '../parts/search/results.ts';
import type { PageServices } from '../services.ts';
import { formatAmount, formatCount, formatMoment, formatWait, nameCountry } from '../text/formatting.ts';
import { indentJson } from '../text/record-fields.ts';
import { formatCurl } from '../text/search-address.ts';
import {
  charge,
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
import {
  HOLDING_LEVELS,
  hasOwnership,
  listIssuer,
  OWNER_LEVELS,
  type OwnershipView,
  ownership,
  pairParties,
} from './owners.ts';
import { proofPage } from './proof.ts';
import { provenanceSection, sourceSection } from './source.ts';
import {
  copyable,
  isSummaryComplete,
  recordActions,
  recordSummary,
  type Summarized,
  statusSentence,
} from './summary.ts';
import { listLifeEvents, TIMELINE_LENGTH, type Timeline, timeline } from './timeline.ts';

/**
 * Pages of records. Everything that can fail is done before the charge is final, so a failure costs nothing. Visitors may
 * open a limited number of records, without the source row and the JSON.
 */
export function registerEntity(app: Routes, services: PageServices, limits: VisitorLimits): void {
  const { publicUrl, registry, changes, executor, proofs, clock, isPrepared } = services;
  const takeVisit = createVisitorLimit(limits, dayWindow);

  /** Sends the result of `answer`, and charges the request of a signed-in user. Visitors see only a `preview`. */
  async function serve(request: Request, reply: HttpReply, answer: Answer, preview = false, waitMs = 0) {
    const deadline = startDeadline();
    const signedIn = await findSignedIn(request, services, deadline);
    const id = request.params.id.toLowerCase();
    const visitor = describeVisitor(signedIn);
    const navigation = classifyNavigation(request, services.site);
    const results = findResults(request);
    if (signedIn === undefined) {
      const path = `/entities/${readId(id)}`;
      if (!preview) return invite(reply.code(statusOf('session_required')), 'see the complete record', path, COMPLETE);
      if (navigation === 'speculative') return sendConfirmation(request, reply, { visitor, navigation });
      if (!isPrepared()) throw fail('service_unavailable', { retryAfter: 1 });
      const now = clock.now();
      const until = takeVisit(request.network, now);
      if (until !== undefined) return refuseVisit(reply, path, until - now);
      const record = showRecord({ id, visitor, results, account: request.network, deadline });
      return sendPage(reply, await within(deadline, record, 'the record'));
    }
    if (navigation !== 'own') return sendConfirmation(request, reply, { visitor, navigation });
    const operation: PricedOperation<string, string, Awaited<ReturnType<Answer>>> = {
      price: 'unit',
      read: readId,
      waitMs: () => waitMs,
      answer: (id, { limits: { quota }, caller, deadline }) =>
        answer({ id, visitor, results, left: quota.remaining, account: caller.accountId, deadline }),
      isFree: ({ isFree = false }) => isFree,
    };
    const charged = await charge(executor, operation, startCharge(signedIn.account, id, deadline));
    return charged.outcome === 'answered' ? charged.answer.send() : sendDenied(reply, visitor, charged, clock.now());
  }

  function refuseVisit(reply: HttpReply, path: string, waitMs: number): HttpReply {
    reply.code(statusOf('rate_limit_exceeded')).header('Retry-After', Math.ceil(waitMs / 1000));
    const text =
      `Without an account you can open ${formatAmount(limits.perAddress, 'record')} per day, as long as the daily limit for all visitors ` +
      `is not reached. Try again in ${formatWait(waitMs)}, or sign in now.`;
    return invite(reply, 'open more records', path, text);
  }

  async function showRecord({ id, account, deadline, ...shown }: Work): Promise<Html> {
    const { version, content: excerpt } = requireFound(await registry.findExcerpt(id));
    // The history ends with the version of the record, so that an import between the two reads does not change only one of the results.
    const past = requireFound(await changes.findHistory(id, { upTo: version, limit: TIMELINE_LENGTH }));
    const history = { changes: past.data, hasMore: past.meta.hasMore };
    const now = clock.now();
    const registers = await registry.listRegisters(now);
    const ownership = await readOwnership({ id, account, deadline }, excerpt.value);
    return entityPage({ ...shown, publicUrl: publicUrl(), excerpt, history, ownership, registers, now });
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

  /** The page of one list of a record; `given` is the number of the page. */
  async function showList({ id, visitor, left }: ChargedWork, pointer: string, given: string): Promise<Html> {
    if (!/^[1-9]\d*$/.test(given))
      throw fail('invalid_request', { message: 'The page must be a whole number, 1 or higher.' });
    const page = Math.min(Number(given), MAX_PAGE);
    const window = { pointer, first: (page - 1) * LIST_PAGE_SIZE, count: LIST_PAGE_SIZE };
    const list = requireFound(await registry.findList(id, window)).content;
    if (list === undefined)
      throw fail('not_found', { message: 'This record has no such list: open the record to see its lists.' });
    return entityListPage({ visitor, id, pointer, page, list, left });
  }

  app.get<EntityRoute>('/entities/:id', (request, reply) => {
    const [pointer = '', page = ''] = [request.query.list, request.query.page].map((given) => [given].flat().at(-1));
    const answer: Answer = async (work) => {
      const shown = pointer === '' ? await showRecord(work) : await showList(work, pointer, page || '1');
      return { send: () => sendPage(keepForBack(reply), shown) };
    };
    return serve(request, reply, answer, pointer === '');
  });

  app.get<EntityRoute>('/entities/:id/proof', (request, reply) => {
    const answer: Answer = async ({ id, visitor, left, account }) => {
      const { content: excerpt } = requireFound(await registry.findExcerpt(id));
      const result = requireFound(await proofs.prove(id, account));
      const page = proofPage({ visitor, id, excerpt, result, left });
      return { isFree: typeof result === 'string', send: () => sendPage(reply, page) };
    };
    return serve(request, reply, answer, false, proofs.maxCallMs);
  });

  app.get<EntityRoute>('/entities/:id/json', (request, reply) => {
    const answer: Answer = async ({ id }) => {
      const { content } = requireFound(await registry.findEntity(id));
      return { send: () => reply.type('application/json; charset=utf-8').send(content) };
    };
    return serve(request, reply, answer);
  });
}

const COMPLETE =
  'With an account you also see long lists, every source field and the JSON of a record. Opening one uses one request.';

function invite(reply: HttpReply, purpose: string, path: string, text: string): HttpReply {
  const links = html`<p><a class="button" href="${signInAddress(path)}">Sign in</a> <a href="/explore">Back to search</a></p>`;
  const frame = { section: '/explore', visitor: 'anonymous' } as const;
  return sendPage(reply, messagePage(`Sign in to ${purpose}`, `${text} ${freePlanHint()}`, links, frame));
}

interface EntityRoute {
  readonly Params: { readonly id: string };
  readonly Querystring: Readonly<Record<string, string | string[] | undefined>>;
}
type Request = HttpRequest<EntityRoute>;

interface Work {
  readonly id: string;
  readonly visitor: Visitor;
  readonly results?: string | undefined;
  /** Requests left in the current period. Undefined for visitors. */
  readonly left?: number;
  /** The account, or the network of a visitor. Walks through owners of different accounts take turns. */
  readonly account: string;
  readonly deadline: Deadline;
}

type ChargedWork = Work & { readonly left: number };
type Answer = (work: ChargedWork) => Promise<{ readonly isFree?: boolean; send(): HttpReply }>;

/** Users see a malformed id as not found, not as an invalid request. */
function readId(id: string): string {
  if (!isUuid(id)) throw fail('entity_not_found');
  return id;
}

function requireFound<T>(found: T | undefined): T {
  if (found === undefined) throw fail('entity_not_found');
  return found;
}

interface Entity extends Summarized {
  readonly registry: SourceRecord;
  readonly sourceData: SourceValue;
  readonly registrations: readonly Registration[];
}

export interface EntityView extends Pick<Work, 'visitor' | 'results' | 'left'> {
  readonly publicUrl: string;
  readonly excerpt: RecordExcerpt;
  readonly history: Timeline;
  /** Undefined if the register publishes no parties, or if parties are switched off. */
  readonly ownership?: OwnershipView | undefined;
  readonly registers: readonly RegisterState[];
  readonly now: number;
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
    ${recordSummary(entity, split.common, registers, showMore)}
    ${recordActions(entity, manifest, visitor)}
    ${left !== undefined && html`<p class="cost">This record used one request; ${formatCount(left)} left in this period.</p>`}
    <nav class="jump" aria-label="On this page">${sections.map(([id, title]) => html`<a href="#${id}">${title}</a>`)}</nav>
    ${sections.map(([id, title, content]) => section(id, title, content))}`,
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

type Section = readonly [id: string, title: string, content: Html];

function listSections(view: EntityView, entity: Entity, split: SplitRegistry, showMore: ShowMore): Section[] {
  const { visitor, publicUrl, excerpt, history } = view;
  const { id, updatedAt, registrations, sourceData } = entity;
  const { common } = split;
  const { shown, rest } = pairParties(view.ownership?.parties.parties ?? [], listRecords(common.parties));
  const lists = commonLists({ ...common, parties: rest }, showMore)
    .filter(({ name }) => name !== 'activities' || !isSummaryComplete(common))
    .map(({ name, title, table }): Section => [name, title, table]);
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
  const owners: Section[] = view.ownership
    ? [['ownership', 'Owners and holdings', ownership(view.ownership, shown)]]
    : [];
  const isOwned = view.ownership !== undefined && hasOwnership(view.ownership);
  const people = lists.filter(([name]) => name === 'parties');
  const curl = codeBlock('curl', formatCurl(`${publicUrl}/api/v1/entities/${id}`));
  // Visitors do not see the source row and the JSON, because they could otherwise copy the data without an account.
  const invitation = html`<p>Sign in to see every source field exactly as published, and the complete record as JSON.
    ${freePlanHint()}</p>
    <p><a class="button" href="${signInAddress(`/entities/${id}`)}">Sign in</a></p>`;
  const complete: Section[] =
    visitor === 'anonymous'
      ? [['source', 'Source row and JSON', invitation]]
      : [
          ['source', 'Original source row', sourceSection(id, sourceData, excerpt.totals)],
          ['json', 'JSON', html`${curl}${completeRecord(excerpt, id)}`],
        ];
  const past: Section = ['history', 'History', timeline(history, events, entity.provenance?.file)];
  return [
    ...(isOwned ? owners : people),
    ...(history.changes.length + events.length > 0 ? [past] : []),
    ['details', 'Details', facts],
    ['registrations', 'Registrations', numbers],
    ...(isOwned ? people : owners),
    ...lists.filter((each) => !people.includes(each)),
    ['register', 'Register details', nationalFields(entity, split, showMore)],
    ['provenance', 'Source', provenanceSection(entity.provenance, excerpt.totals, view)],
    ...complete,
  ];
}

function nationalFields({ provenance }: Entity, { common, national }: SplitRegistry, showMore: ShowMore): Html {
  const register = provenance?.register;
  return html`<p class="quiet">Fields that only this register has. <a href="/docs/fields">All common fields</a>${
    register !== undefined && html` · <a href="/docs/registers/${register}">All fields of this register</a>`
  }</p>${registerFields(national, common, showMore)}`;
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
