import type { Accounts, SignedIn } from '../../accounts/accounts.ts';
import { Failure, fail, statusOf } from '../../core/errors.ts';
import { isUuid } from '../../core/ids.ts';
import { type Fields, readFields } from '../../core/requests/form-fields.ts';
import { MAX_ENTITIES, monitorTypes, type Scope } from '../../monitors/monitor.ts';
import type { Monitors } from '../../monitors/monitors.ts';
import type { CompanyReference } from '../../registry/find-ids.ts';
import type { Registry } from '../../registry/registry.ts';
import { readSearchQuery } from '../../search/parameters.ts';
import type { Routes } from '../../transport/app.ts';
import type { HttpReply } from '../../transport/reply.ts';
import { atomFeed } from '../atom-feed.ts';
import { setFlash, takeFlash } from '../flash.ts';
import { registerAccountForms } from '../forms.ts';
import { createMonitorReads, type MonitorReadServices } from '../monitor-reads.ts';
import { limitPage } from '../pages/messages.ts';
import { companiesPage, type MonitorView, monitorPage, monitorsPage } from '../pages/monitors.ts';
import { deleteMonitorPage } from '../pages/removal.ts';
import { readScopeFields } from '../parts/account/monitor-forms.ts';
import { notice } from '../parts/notice.ts';
import { limitNotice } from '../parts/search/limit-notices.ts';
import { readPastedCompanies } from '../pasted-companies.ts';
import { sendPage } from '../send-page.ts';
import { formatAmount } from '../text/formatting.ts';
import { describeVisitor } from '../visitor.ts';
import { type AccountPages, createAccountPages, type DashboardServices } from './account-pages.ts';

export interface MonitorPageServices extends DashboardServices, MonitorReadServices {
  readonly accounts: Pick<Accounts, 'findTerms'>;
  readonly monitors: Monitors;
  readonly registry: Pick<Registry, 'findIds' | 'findExcerpt'>;
}

const PATH = '/dashboard/monitors';
/** 10,000 companies by country and number, with other columns. */
const MAX_BODY_BYTES = 1024 * 1024;
/** The list that *Watch this company* adds to. */
const WATCHED = 'Watched companies';

/** The pages of monitors, and their Atom feeds. A page or feed with changes costs one request. */
export function registerMonitorPages(app: Routes, services: MonitorPageServices): void {
  const { publicUrl, monitors, monitorChanges, registry, clock, webhooks } = services;
  const { signedInOnly }: AccountPages = createAccountPages(services);

  const { readLatest, readCompanies } = createMonitorReads(services);

  async function showList(reply: HttpReply, signedIn: SignedIn, form: Fields, problem?: string) {
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
    return sendPage(reply, monitorPage({ visitor, monitor, changes, endpoints, done, ...more }));
  }

  /** The companies of a pasted list, and its lines that there are none for. */
  async function readList(list: string) {
    const references = await readPastedCompanies(list, MAX_ENTITIES);
    const found = await registry.findIds(references);
    const notFound = references.filter((_, index) => found[index] === undefined).map(writeReference);
    return { ids: found.filter((id) => id !== undefined), notFound };
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
    const { ids, notFound } = await readList(list);
    const { id } = await monitors.create(account, { name, watch: ids, ...scope });
    if (notFound.length === 0) return reply.redirect(`${PATH}/${id}`, 303);
    return showOne(reply, signedIn, id, { notFound });
  }

  async function changeCompanies(reply: HttpReply, signedIn: SignedIn, id: string, form: Fields) {
    const { ids, notFound } = await readList(form.list ?? '');
    const change = form.action === 'remove' ? { add: [], remove: ids } : { add: ids, remove: [] };
    const { added, removed } = await monitors.changeEntities(signedIn.account, readId(id), change);
    const done = form.action === 'remove' ? describe(removed, 'removed') : describe(added, 'added');
    if (notFound.length > 0) return showOne(reply, signedIn, id, { notFound, done: notice('good', 'Saved', done) });
    return setFlash(reply, publicUrl(), 'monitor-changed', done).redirect(`${PATH}/${readId(id)}`, 303);
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
  const changing = (work: typeof change) =>
    signedInOnly<MonitorRequest & FormRequest>(async ({ params: { id }, body = {} }, reply, signedIn) => {
      try {
        return await work(reply, signedIn, id, body);
      } catch (error) {
        return showOne(reply, signedIn, id, { problem: describeProblem(error, reply) });
      }
    });

  app.get(
    PATH,
    signedInOnly<{ query: { search?: unknown } }>(
      async ({ query: { search } }, reply, signedIn) =>
        showList(reply, signedIn, typeof search === 'string' ? { search } : {}),
      () => PATH,
    ),
  );
  app.get(
    `${PATH}/:id`,
    signedInOnly<MonitorRequest>(
      ({ params: { id } }, reply, signedIn) => showOne(reply, signedIn, id),
      ({ params: { id } }) => (isUuid(id) ? `${PATH}/${id}` : PATH),
    ),
  );
  app.get(
    `${PATH}/:id/companies`,
    signedInOnly<MonitorRequest & { query: { after?: unknown } }>(async ({ params, query }, reply, signedIn) => {
      const after = typeof query.after === 'string' && isUuid(query.after) ? query.after.toLowerCase() : undefined;
      const visitor = describeVisitor(signedIn);
      const monitor = await monitors.find(signedIn.account.accountId, readId(params.id));
      const read = await readCompanies(signedIn.account, monitor.id, after);
      if (read.outcome === 'failed') throw read.error;
      if (read.outcome === 'denied')
        return sendPage(reply.code(statusOf(read.code)), limitPage(visitor, read, clock.now()));
      return sendPage(reply, companiesPage({ visitor, monitor, ...read.answer }));
    }),
  );
  app.get(
    `${PATH}/:id/delete`,
    signedInOnly<MonitorRequest>(
      async ({ params: { id } }, reply, signedIn) => {
        const monitor = await monitors.find(signedIn.account.accountId, readId(id));
        return sendPage(reply, deleteMonitorPage(monitor, describeVisitor(signedIn)));
      },
      () => PATH,
    ),
  );

  registerAccountForms(
    app,
    services,
    (scope) => {
      scope.post(
        PATH,
        signedInOnly<FormRequest>(async ({ body = {} }, reply, signedIn) => {
          try {
            return await create(reply, signedIn, body);
          } catch (error) {
            return showList(reply, signedIn, body, describeProblem(error, reply));
          }
        }),
      );
      scope.post(
        `${PATH}/watch`,
        signedInOnly<FormRequest>(async ({ body = {} }, reply, signedIn) => {
          const { account } = signedIn;
          const [id] = await registry.findIds([{ id: readId(body.entity ?? '') }]);
          if (id === undefined) throw fail('entity_not_found');
          const own = await monitors.list(account.accountId);
          const known = own.find(({ name, search }) => name === WATCHED && search === null);
          try {
            if (known !== undefined) await monitors.changeEntities(account, known.id, { add: [id], remove: [] });
            const target = known ?? (await monitors.create(account, { name: WATCHED, watch: [id] }));
            return reply.redirect(`${PATH}/${target.id}`, 303);
          } catch (error) {
            return showList(reply, signedIn, {}, describeProblem(error, reply));
          }
        }),
      );
      scope.post(`${PATH}/:id`, changing(change));
      scope.post(`${PATH}/:id/companies`, changing(changeCompanies));
      scope.post(
        `${PATH}/:id/feed`,
        signedInOnly<MonitorRequest & FormRequest>(async ({ params: { id }, body }, reply, signedIn) => {
          const { accountId } = signedIn.account;
          if (body?.action === 'remove') {
            await monitors.removeFeed(accountId, readId(id));
            return reply.redirect(`${PATH}/${readId(id)}`, 303);
          }
          const secret = await monitors.renewFeed(accountId, readId(id));
          return showOne(reply, signedIn, id, { feed: `${publicUrl()}/feeds/${secret}` });
        }),
      );
      scope.post(
        `${PATH}/:id/delete`,
        signedInOnly<MonitorRequest>(async ({ params: { id } }, reply, { account }) => {
          await monitors.delete(account.accountId, readId(id));
          return reply.redirect(PATH, 303);
        }),
      );
    },
    { bodyLimit: MAX_BODY_BYTES },
  );

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
    return reply.type('application/atom+xml; charset=utf-8').send(atomFeed(monitor, read.answer, publicUrl()));
  });
}

interface FormRequest {
  readonly body: Fields | undefined;
}

interface MonitorRequest {
  readonly params: { readonly id: string };
}

const EITHER = 'Fill in either the list of companies or the search.';
const SHOWN_PROBLEMS = ['invalid_request', 'monitor_limit_reached', 'service_unavailable'];

function describeProblem(error: unknown, reply: HttpReply): string {
  if (!(error instanceof Failure) || !SHOWN_PROBLEMS.includes(error.code)) throw error;
  reply.code(statusOf(error.code));
  return error.message;
}

function requireScope(form: Fields): Scope {
  const scope = readScopeFields(form);
  if (scope === undefined) throw fail('invalid_request', { message: 'Choose at least one kind of change.' });
  return scope;
}

function describe(count: number, what: string): string {
  return `${formatAmount(count, 'company', 'companies')} ${what}.`;
}

function readId(text: string): string {
  if (!isUuid(text)) throw fail('monitor_not_found');
  return text.toLowerCase();
}

/** The parameters of a search in an address, without order and page. Throws `invalid_request`. */
function readFilters(text: string): Record<string, string> {
  const given = readFields(Buffer.from(text.trim().replace(/^.*\?/, '')));
  const { page: _page, pageSize: _size, sort: _sort, ...rest } = given;
  const filters = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== ''));
  readSearchQuery(filters);
  return filters;
}

function writeReference(reference: CompanyReference): string {
  return 'id' in reference ? reference.id : `${reference.countryCode},${reference.registrationNumber}`;
}
