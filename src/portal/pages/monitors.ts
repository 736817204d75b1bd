import { isDeepStrictEqual } from 'node:util';
import type { SignedIn } from '../../accounts/accounts.ts';
import { plainText, showName } from '../../base/display-text.ts';
import { fail } from '../../base/errors.ts';
import { html } from '../../base/html.ts';
import type { Fields } from '../../base/requests/form-fields.ts';
import { MAX_NAME_LENGTH } from '../../base/storable.ts';
import type { Routes } from '../../http/app.ts';
import type { HttpReply } from '../../http/reply.ts';
import { toSearchQuery } from '../../search/parameters.ts';
import { type AccountForms, type AccountPages, orShow } from '../account.ts';
import { type Problem, section } from '../parts/blocks.ts';
import { describeSearch } from '../parts/search/filters.ts';
import type { PageServices } from '../services.ts';
import { formatAmount, formatCount } from '../text/formatting.ts';
import {
  describeWatched,
  findListed,
  LIST_FILE,
  listField,
  MAX_BODY_BYTES,
  MONITORS,
  nameField,
  parseFilters,
  parseMonitorId,
  parseScope,
  registerMonitorPage,
  requireScope,
  scopeFields,
  searchField,
} from './monitor.ts';

/** The name of the list to which *Watch this company* adds a company. */
const WATCHED = 'Watched companies';

/** The list of an account's monitors, and the forms that create monitors. Each monitor has its own page. */
export function registerMonitorPages(app: Routes, services: PageServices, pages: AccountPages): void {
  const { monitors, registry } = services;
  const showOne = registerMonitorPage(app, services, pages);

  async function create(reply: HttpReply, signedIn: SignedIn, form: Fields): Promise<HttpReply> {
    const { account } = signedIn;
    const { name = '', list = '', search = '' } = form;
    if ((list.trim() === '') === (search.trim() === '')) {
      throw fail('invalid_request', { message: 'Fill in either the list of companies or the search.' });
    }
    const scope = requireScope(form);
    if (search.trim() !== '') {
      const { id } = await monitors.create(account, { name, watch: parseFilters(search), ...scope });
      return reply.redirect(`${MONITORS}/${id}`, 303);
    }
    const { ids, missed } = await findListed(registry, list);
    const { id } = await monitors.create(account, { name, watch: ids, ...scope });
    return missed === undefined
      ? reply.redirect(`${MONITORS}/${id}`, 303)
      : showOne(reply, signedIn, id, { done: missed });
  }

  async function watchCompany({ account }: SignedIn, entity: string) {
    const [id] = await registry.findIds([{ id: parseMonitorId(entity) }]);
    if (id === undefined) throw fail('entity_not_found');
    const own = await monitors.list(account.accountId);
    const known = own.find(({ name, search }) => name === WATCHED && search === null);
    if (known !== undefined) await monitors.changeEntities(account, known.id, { add: [id], remove: [] });
    return known ?? monitors.create(account, { name: WATCHED, watch: [id] });
  }

  async function watchSearch({ account }: SignedIn, text: string) {
    const search = parseFilters(text);
    const own = await monitors.list(account.accountId);
    const name = [...plainText(describeSearch(toSearchQuery(search)))].slice(0, MAX_NAME_LENGTH).join('');
    return (
      own.find((each) => isDeepStrictEqual(each.search, search)) ?? monitors.create(account, { name, watch: search })
    );
  }

  pages.get(
    MONITORS,
    (_request, reply, signedIn) => sendMonitors(services, pages, reply, signedIn),
    () => MONITORS,
  );
  const forms: AccountForms = {
    [MONITORS]: orShow(
      ({ body }, reply, signedIn, problem) => sendMonitors(services, pages, reply, signedIn, body, problem),
      ({ body = {} }, reply, signedIn) => create(reply, signedIn, body),
    ),
    /** Watches a search, or adds a company to the list `WATCHED`. An existing monitor of the search stays unchanged. */
    [`${MONITORS}/watch`]: orShow(
      ({ body: { search } = {} }, reply, signedIn, problem) =>
        sendMonitors(services, pages, reply, signedIn, { search }, problem),
      async ({ body: { entity = '', search } = {} }, reply, signedIn) => {
        const { id, name } =
          search === undefined ? await watchCompany(signedIn, entity) : await watchSearch(signedIn, search);
        return pages.confirm(reply, 'monitor-watched', name, `${MONITORS}/${id}`);
      },
    ),
  };
  pages.post(forms, undefined, MAX_BODY_BYTES);
}

/** Sends the page with the monitors and the form for a new monitor, which keeps the submitted values. */
export async function sendMonitors(
  { monitors }: Pick<PageServices, 'monitors'>,
  pages: AccountPages,
  reply: HttpReply,
  signedIn: SignedIn,
  form: Fields = {},
  problem?: Problem,
): Promise<HttpReply> {
  const { plan, accountId } = signedIn.account;
  const own = await monitors.list(accountId);
  const watched = own.reduce((sum, { entities }) => sum + entities, 0);
  const lead = html`A monitor reports what changes about the companies in it. <a class="keep" href="/docs/monitors">How monitors work</a> ·
      <a href="/dashboard/webhooks">Webhooks</a>`;
  const newForm = html`<form method="post" action="${MONITORS}">
      ${nameField(form.name, problem)}
      ${listField(form.list, 'Companies', problem)}
      ${searchField(form.search, 'Or a search', problem)}
      <details><summary>What counts as a change</summary>${scopeFields(parseScope(form))}</details>
      <button>Create monitor</button>
    </form>`;
  const content = html`<p>${formatAmount(own.length, 'monitor')} of ${formatCount(plan.maxMonitors)},
      ${formatAmount(watched, 'watched company', 'watched companies')} of ${formatCount(plan.maxWatchedCompanies)}.</p>
    ${own.length === 0 && html`<p class="empty">None yet. Press <em>Watch this search</em> beside the results of <a href="/explore">a search</a>, or <em>Watch this company</em> on a record, or paste a list here.</p>`}
    <ul class="monitors">${own.map(
      (monitor) => html`<li><a href="${MONITORS}/${monitor.id}">${showName(monitor.name)}</a>:
      ${describeWatched(monitor)}</li>`,
    )}</ul>
    ${section('new', 'New monitor', newForm)}`;
  return pages.send(reply, signedIn, { title: 'Monitors', above: [], lead, problem }, content, {
    scripts: [LIST_FILE],
  });
}
