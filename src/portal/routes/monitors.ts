import { isDeepStrictEqual } from 'node:util';
import type { SignedIn } from '../../accounts/accounts.ts';
import type { PricedOperation } from '../../accounts/charging/operation.ts';
import { ATOM } from '../../base/atom.ts';
import { plainText } from '../../base/display-text.ts';
import type { EntitySummary } from '../../base/entity-summary.ts';
import { Failure, fail, statusOf } from '../../base/errors.ts';
import { isUuid } from '../../base/ids.ts';
import { type Fields, parseFields } from '../../base/requests/form-fields.ts';
import { MAX_NAME_LENGTH } from '../../base/storable.ts';
import type { AccountTerms } from '../../base/usage.ts';
import type { Routes } from '../../http/app.ts';
import type { HttpReply } from '../../http/reply.ts';
import { type CompanyReference, readPastedCompanies } from '../../registry/company-references.ts';
import { readSearchQuery, toSearchQuery } from '../../search/parameters.ts';
import { MAX_ENTITIES, type MonitorChange, monitorTypes, type Scope } from '../../watch/monitors/monitor.ts';
import { setFlash, takeFlash } from '../flash.ts';
import {
  companiesPage,
  deleteMonitorPage,
  type MonitorView,
  monitorFeed,
  monitorPage,
  monitorsPage,
  readScopeFields,
} from '../pages/monitors.ts';
import { notice, type Problem } from '../parts/blocks.ts';
import { describeSearch } from '../parts/search/filters.ts';
import { limitNotice } from '../parts/search/limit-notices.ts';
import type { PageServices } from '../services.ts';
import { formatAmount } from '../text/formatting.ts';
import { describeVisitor, SESSION, sendPage, startCharge } from '../visitor.ts';
import { type AccountForms, type AccountPages, type AccountRequest, requireId, takeProblem } from './account-pages.ts';

const PATH = '/dashboard/monitors';
/** 10,000 companies by country and number, with other columns. */
const MAX_BODY_BYTES = 1024 * 1024;
/** The list that *Watch this company* adds to. */
const WATCHED = 'Watched companies';

/** The pages of monitors, and their Atom feeds. A page or feed with changes costs one request; to see the companies costs nothing. */
export function registerMonitorPages(app: Routes, services: PageServices, pages: AccountPages): void {
  const { publicUrl, monitors, monitorChanges, mailAlerts, registry, clock, site, webhooks } = services;
  const readLatest = createLatestRead(services);

  async function showList(reply: HttpReply, signedIn: SignedIn, form: Fields, problem?: Problem) {
    const { account } = signedIn;
    const view = {
      visitor: describeVisitor(signedIn),
      plan: account.plan,
      monitors: await monitors.list(account.accountId),
    };
    const { name = '', list = '', search = '' } = form;
    const scope = readScopeFields(form) ?? { types: monitorTypes, fields: null };
    return sendPage(
      reply,
      monitorsPage({ ...view, form: { name, list, search, ...scope }, ...(problem !== undefined && { problem }) }),
    );
  }

  async function showOne(reply: HttpReply, signedIn: SignedIn, id: string, more: Partial<MonitorView> = {}) {
    const visitor = describeVisitor(signedIn);
    const { accountId } = signedIn.account;
    const monitor = await monitors.find(accountId, readId(id));
    const read = await readLatest(signedIn.account, monitor.id);
    if (read.outcome === 'failed') throw read.error;
    // Without quota, monitors can still be changed and deleted.
    if (read.outcome === 'denied') reply.code(statusOf(read.code));
    const changes = read.outcome === 'denied' ? limitNotice(read, clock.now()) : read.answer;
    const all = await webhooks.list(accountId);
    const endpoints = all.filter(({ monitorIds }) => monitorIds?.includes(monitor.id) ?? true);
    const done = takeFlash(reply, publicUrl());
    const alerts = await mailAlerts.list(accountId, monitor.id);
    const mail = { alerts, isOn: mailAlerts.isOn, isOperator: site.isClosed, ownAddress: signedIn.user.email };
    return sendPage(reply, monitorPage({ visitor, monitor, changes, endpoints, mail, done, ...more }));
  }

  /** The companies of a pasted list, and its lines that there are none for. Throws `invalid_request` if no line names a company. */
  async function readList(list: string) {
    const { references, unread } = await readPastedCompanies(list, MAX_ENTITIES);
    if (references.length === 0) throw fail('invalid_request', { message: describeUnread(unread), field: 'list' });
    const found = await registry.findIds(references);
    const notFound = references.filter((_, index) => found[index] === undefined).map(writeReference);
    return {
      ids: found.filter((id) => id !== undefined),
      missed: { notFound, unread },
      isWhole: notFound.length + unread.length === 0,
    };
  }

  async function create(reply: HttpReply, signedIn: SignedIn, form: Fields) {
    const { account } = signedIn;
    const { name = '', list = '', search = '' } = form;
    if ((list.trim() === '') === (search.trim() === '')) throw fail('invalid_request', { message: EITHER });
    const scope = requireScope(form);
    if (search.trim() !== '') {
      const { id } = await monitors.create(account, { name, watch: readFilters(search), ...scope });
      return reply.redirect(`${PATH}/${id}`, 303);
    }
    const { ids, missed, isWhole } = await readList(list);
    const { id } = await monitors.create(account, { name, watch: ids, ...scope });
    return isWhole ? reply.redirect(`${PATH}/${id}`, 303) : showOne(reply, signedIn, id, missed);
  }

  async function watch({ account }: SignedIn, entity: string) {
    const [id] = await registry.findIds([{ id: readId(entity) }]);
    if (id === undefined) throw fail('entity_not_found');
    const own = await monitors.list(account.accountId);
    const known = own.find(({ name, search }) => name === WATCHED && search === null);
    if (known !== undefined) await monitors.changeEntities(account, known.id, { add: [id], remove: [] });
    return known ?? monitors.create(account, { name: WATCHED, watch: [id] });
  }

  async function watchSearch({ account }: SignedIn, text: string) {
    const search = readFilters(text);
    const own = await monitors.list(account.accountId);
    const name = [...plainText(describeSearch(toSearchQuery(search)))].slice(0, MAX_NAME_LENGTH).join('');
    return (
      own.find((each) => isDeepStrictEqual(each.search, search)) ?? monitors.create(account, { name, watch: search })
    );
  }

  async function changeCompanies(reply: HttpReply, signedIn: SignedIn, id: string, form: Fields) {
    const { ids, missed, isWhole } = await readList(form.list ?? '');
    const change = form.action === 'remove' ? { add: [], remove: ids } : { add: ids, remove: [] };
    const { added, removed } = await monitors.changeEntities(signedIn.account, readId(id), change);
    const done = form.action === 'remove' ? describe(removed, 'removed') : describe(added, 'added');
    if (!isWhole) return showOne(reply, signedIn, id, { ...missed, done: notice('good', 'Saved', done) });
    return setFlash(reply, publicUrl(), 'monitor-changed', done).redirect(`${PATH}/${readId(id)}`, 303);
  }

  async function changeAlerts(reply: HttpReply, { account: { accountId }, user }: SignedIn, id: string, form: Fields) {
    const { address = '', rhythm } = form;
    if (form.action === 'remove') await mailAlerts.remove(accountId, readId(id), form.id ?? '');
    else {
      const chosen = { address, rhythm: rhythm === 'immediate' ? rhythm : 'daily' } as const;
      await mailAlerts.add(accountId, readId(id), chosen, user.email);
    }
    return reply.redirect(`${PATH}/${readId(id)}#alerts`, 303);
  }

  async function change(reply: HttpReply, { account }: SignedIn, id: string, form: Fields) {
    const { name = '', search } = form;
    const given = { name, ...requireScope(form), ...(search !== undefined && { search: readFilters(search) }) };
    const { added, removed } = await monitors.update(account, readId(id), given);
    const moved =
      added === null || removed === null ? '' : `${describe(added, 'added')} ${describe(removed, 'removed')}`;
    return setFlash(reply, publicUrl(), 'monitor-changed', moved).redirect(`${PATH}/${readId(id)}`, 303);
  }

  /** Problems that the user can fix are shown on the page of the monitor. */
  const changing =
    (work: typeof change) =>
    async ({ params: { id }, body = {} }: AccountRequest, reply: HttpReply, signedIn: SignedIn) => {
      try {
        return await work(reply, signedIn, id, body);
      } catch (error) {
        return showOne(reply, signedIn, id, { problem: takeProblem(error, reply, SHOWN_PROBLEMS) });
      }
    };

  pages.get(
    PATH,
    (_request, reply, signedIn) => showList(reply, signedIn, {}),
    () => PATH,
  );
  pages.get(
    `${PATH}/:id`,
    ({ params: { id } }, reply, signedIn) => showOne(reply, signedIn, id),
    ({ params: { id } }) => (isUuid(id) ? `${PATH}/${id}` : PATH),
  );
  pages.get(`${PATH}/:id/companies`, async ({ params, query }, reply, signedIn) => {
    const after = typeof query.after === 'string' && isUuid(query.after) ? query.after.toLowerCase() : undefined;
    const visitor = describeVisitor(signedIn);
    const monitor = await monitors.find(signedIn.account.accountId, readId(params.id));
    const ids = await monitors.listEntities(signedIn.account.accountId, monitor.id, after, COMPANIES + 1);
    const shown = ids.slice(0, COMPANIES);
    const found = await Promise.all(shown.map((each) => registry.findExcerpt(each)));
    const companies = found.flatMap((each) => (each ? [each.content.value as unknown as EntitySummary] : []));
    const next = ids.length > COMPANIES ? shown.at(-1) : undefined;
    return sendPage(reply, companiesPage({ visitor, monitor, companies, next }));
  });
  pages.get(
    `${PATH}/:id/delete`,
    async ({ params: { id } }, reply, signedIn) => {
      const monitor = await monitors.find(signedIn.account.accountId, readId(id));
      return sendPage(reply, deleteMonitorPage(monitor, describeVisitor(signedIn)));
    },
    () => PATH,
  );

  const forms: AccountForms = {
    async [PATH]({ body = {} }, reply, signedIn) {
      try {
        return await create(reply, signedIn, body);
      } catch (error) {
        return showList(reply, signedIn, body, takeProblem(error, reply, SHOWN_PROBLEMS));
      }
    },
    /** Watches a search, or adds a company to the list that is for single companies. A monitor that there is already stays as it is. */
    async [`${PATH}/watch`]({ body: { entity = '', search } = {} }, reply, signedIn) {
      try {
        const { id } = search === undefined ? await watch(signedIn, entity) : await watchSearch(signedIn, search);
        return reply.redirect(`${PATH}/${id}`, 303);
      } catch (error) {
        return showList(reply, signedIn, { search: search ?? '' }, takeProblem(error, reply, SHOWN_PROBLEMS));
      }
    },
    [`${PATH}/:id`]: changing(change),
    [`${PATH}/:id/companies`]: changing(changeCompanies),
    [`${PATH}/:id/alerts`]: changing(changeAlerts),
    async [`${PATH}/:id/feed`]({ params: { id }, body }, reply, signedIn) {
      const { accountId } = signedIn.account;
      if (body?.action === 'remove') {
        await monitors.removeFeed(accountId, readId(id));
        return reply.redirect(`${PATH}/${readId(id)}`, 303);
      }
      const secret = await monitors.renewFeed(accountId, readId(id));
      return showOne(reply, signedIn, id, { feed: `${publicUrl()}/feeds/${secret}` });
    },
    async [`${PATH}/:id/delete`]({ params: { id } }, reply, { account }) {
      await monitors.delete(account.accountId, readId(id));
      return reply.redirect(PATH, 303);
    },
  };
  pages.post(forms, undefined, MAX_BODY_BYTES);

  app.get<{ Params: { feed: string } }>('/feeds/:feed', async ({ params, headers }, reply) => {
    if (!services.isPrepared()) throw fail('service_unavailable', { retryAfter: 1 });
    const { accountId, monitor } = await services.monitors.findByFeed(params.feed);
    const [latest] = await monitorChanges.readLatest(accountId, monitor.id, 1);
    const tag = `"${monitor.id}.${latest?.cursor ?? 0}"`;
    reply.header('etag', tag).header('cache-control', 'private, no-cache');
    if (headers['if-none-match'] === tag) return reply.code(304).send();
    const account = await services.accounts.findTerms(accountId);
    if (account === undefined) throw fail('monitor_not_found');
    const read = await readLatest(account, monitor.id);
    if (read.outcome === 'failed') throw read.error;
    if (read.outcome === 'denied') throw fail(read.code);
    return reply.type(ATOM).send(monitorFeed(monitor, read.answer, publicUrl()));
  });
}

const EITHER = 'Fill in either the list of companies or the search.';
const SHOWN_PROBLEMS = ['invalid_request', 'monitor_limit_reached', 'service_unavailable'];

function requireScope(form: Fields): Scope {
  const scope = readScopeFields(form);
  if (scope === undefined) throw fail('invalid_request', { message: 'Choose at least one kind of change.' });
  return scope;
}

function describe(count: number, what: string): string {
  return `${formatAmount(count, 'company', 'companies')} ${what}.`;
}

const readId = (text: string) => requireId(text, 'monitor_not_found');

/** The parameters of a search in an address, without order and page. Throws `invalid_request`. */
function readFilters(text: string): Record<string, string> {
  const given = parseFields(Buffer.from(text.trim().replace(/^.*\?/, '')));
  const { page: _page, pageSize: _size, sort: _sort, ...rest } = given;
  const filters = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== ''));
  try {
    readSearchQuery(filters);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw fail(error.code, { message: error.message, field: 'search' });
  }
  return filters;
}

function describeUnread(unread: readonly string[]): string {
  const lines = unread
    .slice(0, SHOWN_LINES)
    .map((line) => `\n${line}`)
    .join('');
  return `No line has the id of a company, or a country and a registration number, such as "GB,00445790".${lines}`;
}

function writeReference(reference: CompanyReference): string {
  return 'id' in reference ? reference.id : `${reference.countryCode},${reference.registrationNumber}`;
}

/** Changes on the page and in the feed, companies of a page, and lines that a message shows. */
const [CHANGES, COMPANIES, SHOWN_LINES] = [25, 25, 10];

/** What pages and feeds show of a monitor. It costs one request of the account, and nothing if it is empty. */
function createLatestRead({ monitorChanges, executor }: PageServices) {
  return (account: AccountTerms, id: string) => {
    const operation: PricedOperation<null, null, readonly MonitorChange[]> = {
      needs: SESSION,
      price: 'unit',
      read: () => null,
      answer: () => monitorChanges.readLatest(account.accountId, id, CHANGES),
      isFree: ({ length }) => length === 0,
    };
    return executor.perform(operation, startCharge(account, null));
  };
}
