import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Accounts, SignedIn } from '../../accounts/accounts.ts';
import { Failure, fail, statusOf } from '../../core/errors.ts';
import { isUuid } from '../../core/ids.ts';
import type { Fields } from '../../core/requests/form-fields.ts';
import type { AccountTerms } from '../../core/usage.ts';
import type { MonitorChanges } from '../../monitors/events/changes.ts';
import { MAX_ENTITIES, type MonitorChange } from '../../monitors/monitor.ts';
import type { Monitors } from '../../monitors/monitors.ts';
import type { Executor } from '../../operations/execute.ts';
import type { PricedOperation } from '../../operations/operation.ts';
import type { CompanyReference } from '../../registry/find-ids.ts';
import type { Registry } from '../../registry/registry.ts';
import { readSearchQuery } from '../../search/parameters.ts';
import { startDeadline } from '../../system/deadline.ts';
import { atomFeed } from '../atom-feed.ts';
import { registerForms } from '../forms.ts';
import { limitPage } from '../pages/messages.ts';
import { type MonitorView, monitorPage, monitorsPage } from '../pages/monitors.ts';
import { readPastedCompanies } from '../pasted-companies.ts';
import { sendPage } from '../send-page.ts';
import { describeVisitor } from '../visitor.ts';
import { type AccountPages, createAccountPages, type DashboardServices } from './account-pages.ts';

export interface MonitorPageServices extends DashboardServices {
  readonly accounts: Pick<Accounts, 'findTerms'>;
  readonly monitors: Monitors;
  readonly monitorChanges: Pick<MonitorChanges, 'readLatest'>;
  readonly registry: Pick<Registry, 'findIds'>;
  readonly executor: Pick<Executor, 'perform'>;
}

const PATH = '/dashboard/monitors';
/** 10,000 companies by country and number. */
const MAX_BODY_BYTES = 512 * 1024;
const SHOWN = 25;
/** The list that *Watch this company* adds to. */
const WATCHED = 'Watched companies';

/** The pages of monitors, and their Atom feeds. A page or feed with changes costs one request. */
export function registerMonitorPages(app: FastifyInstance, services: MonitorPageServices): void {
  const { publicUrl, site, monitors, monitorChanges, registry, executor, clock } = services;
  const { signedInOnly }: AccountPages = createAccountPages(services);

  /** The latest changes of a monitor, charged to its account. */
  function readLatest(account: AccountTerms, id: string) {
    const operation: PricedOperation<string, string, readonly MonitorChange[]> = {
      needs: { credential: 'session', plan: 'any' },
      price: 'unit',
      read: (given) => given,
      answer: (given) => monitorChanges.readLatest(account.accountId, given, SHOWN),
      isFree: (changes) => changes.length === 0,
    };
    const credential = { kind: 'session', account } as const;
    return executor.perform(operation, { input: id, credential, deadline: startDeadline(), caller: null });
  }

  async function showList(reply: FastifyReply, signedIn: SignedIn, form: Fields, problem?: string) {
    const { account } = signedIn;
    const view = {
      visitor: describeVisitor(signedIn),
      plan: account.plan,
      monitors: await monitors.list(account.accountId),
    };
    const { name = '', list = '', search = '' } = form;
    return sendPage(
      reply,
      monitorsPage({ ...view, form: { name, list, search }, ...(problem !== undefined && { problem }) }),
    );
  }

  async function showOne(reply: FastifyReply, signedIn: SignedIn, id: string, more: Partial<MonitorView> = {}) {
    const visitor = describeVisitor(signedIn);
    const monitor = await monitors.find(signedIn.account.accountId, readId(id));
    const read = await readLatest(signedIn.account, monitor.id);
    if (read.outcome === 'failed') throw read.error;
    if (read.outcome === 'denied')
      return sendPage(reply.code(statusOf(read.code)), limitPage(visitor, read, clock.now()));
    return sendPage(reply, monitorPage({ visitor, monitor, changes: read.answer, ...more }));
  }

  async function create(reply: FastifyReply, signedIn: SignedIn, { name = '', list = '', search = '' }: Fields) {
    const { account } = signedIn;
    if ((list.trim() === '') === (search.trim() === '')) throw fail('invalid_request', { message: EITHER });
    if (search.trim() !== '') {
      const { result } = await monitors.create(account, { name, watch: readFilters(search) });
      return reply.redirect(`${PATH}/${result.id}`, 303);
    }
    const references = readPastedCompanies(list, MAX_ENTITIES);
    const ids = await registry.findIds(references);
    const { result } = await monitors.create(account, { name, watch: ids.filter((id) => id !== undefined) });
    const notFound = references.filter((_, index) => ids[index] === undefined).map(writeReference);
    if (notFound.length === 0) return reply.redirect(`${PATH}/${result.id}`, 303);
    return showOne(reply, signedIn, result.id, { notFound });
  }

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

  registerForms(
    app,
    site,
    (scope) => {
      scope.post(
        PATH,
        signedInOnly<{ body: Fields | undefined }>(async ({ body = {} }, reply, signedIn) => {
          try {
            return await create(reply, signedIn, body);
          } catch (error) {
            if (!(error instanceof Failure) || !SHOWN_PROBLEMS.includes(error.code)) throw error;
            return showList(reply.code(statusOf(error.code)), signedIn, body, error.message);
          }
        }),
      );
      scope.post(
        `${PATH}/watch`,
        signedInOnly<{ body: Fields | undefined }>(async ({ body = {} }, reply, { account }) => {
          const [id] = await registry.findIds([{ id: readId(body.entity ?? '') }]);
          if (id === undefined) throw fail('entity_not_found');
          const own = await monitors.list(account.accountId);
          const known = own.find(({ name, search }) => name === WATCHED && search === null);
          if (known !== undefined) await monitors.changeEntities(account, known.id, { add: [id], remove: [] });
          const target = known ?? (await monitors.create(account, { name: WATCHED, watch: [id] })).result;
          return reply.redirect(`${PATH}/${target.id}`, 303);
        }),
      );
      scope.post(
        `${PATH}/:id/feed`,
        signedInOnly<MonitorRequest>(async ({ params: { id } }, reply, signedIn) => {
          const secret = await monitors.renewFeed(signedIn.account.accountId, readId(id));
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
    MAX_BODY_BYTES,
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

interface MonitorRequest {
  readonly params: { readonly id: string };
}

const EITHER = 'Fill in either the list of companies or the search.';
const SHOWN_PROBLEMS = ['invalid_request', 'monitor_limit_reached'];

function readId(text: string): string {
  if (!isUuid(text)) throw fail('monitor_not_found');
  return text.toLowerCase();
}

/** The parameters of a search in an address, without order and page. Throws `invalid_request`. */
function readFilters(text: string): Record<string, string> {
  const given = Object.fromEntries(new URLSearchParams(text.trim().replace(/^.*\?/, '')));
  const { page: _page, pageSize: _size, sort: _sort, ...rest } = given;
  const filters = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== ''));
  readSearchQuery(filters);
  return filters;
}

function writeReference(reference: CompanyReference): string {
  return 'id' in reference ? reference.id : `${reference.countryCode},${reference.registrationNumber}`;
}
