import type { SignedIn } from '../../accounts/accounts.ts';
import type { PricedOperation } from '../../accounts/charging/operation.ts';
import { ATOM, atomFeed } from '../../base/atom.ts';
import { plainName, showName, showText } from '../../base/display-text.ts';
import type { EntitySummary } from '../../base/entity-summary.ts';
import { Failure, fail, statusOf } from '../../base/errors.ts';
import { type Html, html } from '../../base/html.ts';
import { isUuid } from '../../base/ids.ts';
import { type Fields, parseFields } from '../../base/requests/form-fields.ts';
import type { AccountTerms } from '../../base/usage.ts';
import type { Routes } from '../../http/app.ts';
import type { HttpReply } from '../../http/reply.ts';
import { parsePastedCompanies } from '../../registry/company-references.ts';
import type { Registry } from '../../registry/registry.ts';
import { readSearchQuery, toSearchQuery } from '../../search/parameters.ts';
import { listValues } from '../../watch/mail/alerts.ts';
import {
  MAX_ENTITIES,
  type Monitor,
  type MonitorChange,
  type MonitorType,
  monitorFields,
  monitorTypes,
  type Scope,
} from '../../watch/monitors/monitor.ts';
import { type AccountForms, type AccountPages, orShow, requireId, type Shown, type ShowProblem } from '../account.ts';
import { checkbox, codeBlock, notice, type Problem, section, textField } from '../parts/blocks.ts';
import { limitNotice } from '../parts/plans.ts';
import { describeSearch } from '../parts/search/filters.ts';
import { resultList } from '../parts/search/results.ts';
import { describeChange } from '../record/timeline.ts';
import type { PageServices } from '../services.ts';
import { formatAmount, formatCount, formatMoment } from '../text/formatting.ts';
import { charge, startCharge } from '../visitor.ts';
import { alertsSection } from './alerts.ts';

export const MONITORS = '/dashboard/monitors';
/** Enough for 10,000 companies by country and number, with other columns. */
export const MAX_BODY_BYTES = 1024 * 1024;
/** Reveals the button that fills a list from a file. */
export const LIST_FILE = 'list-file.js';
/** The maximum number of changes on the page and in the feed, of companies on a page, and of lines of a list in an error and in a notice. */
const [CHANGES, COMPANIES, ERROR_LINES, NOTICE_LINES] = [25, 25, 10, 100];

/**
 * The page of a monitor, and its Atom feed. A page or feed with changes costs one request; the companies of a monitor are free. Returns
 * the function that sends the page.
 */
export function registerMonitorPage(app: Routes, services: PageServices, pages: AccountPages) {
  const { publicUrl, monitors, monitorChanges, mailAlerts, registry, clock, site, webhooks, executor } = services;

  /** Loads the changes for a page or feed. This costs one request of the account, and nothing if there are no changes. */
  function loadLatest(account: AccountTerms, id: string) {
    const operation: PricedOperation<null, null, readonly MonitorChange[]> = {
      price: 'unit',
      read: () => null,
      answer: () => monitorChanges.readLatest(account.accountId, id, CHANGES),
      isFree: ({ length }) => length === 0,
    };
    return charge(executor, operation, startCharge(account, null));
  }

  async function showOne(reply: HttpReply, signedIn: SignedIn, given: string, shown: Shown = {}): Promise<HttpReply> {
    const { accountId } = signedIn.account;
    const monitor = await monitors.find(accountId, parseMonitorId(given));
    const { id, name, search, types, fields, createdAt, hasFeed } = monitor;
    const latest = await loadLatest(signedIn.account, id);
    // Without quota, the page is still shown, so that the monitor can be changed and deleted.
    if (latest.outcome === 'denied') reply.code(statusOf(latest.code));
    const changes = latest.outcome === 'denied' ? limitNotice(latest, clock.now()) : showChanges(latest.answer);
    const endpoints = (await webhooks.list(accountId)).filter(({ monitorIds }) => monitorIds?.includes(id) ?? true);
    const alerts = await mailAlerts.list(accountId, id);
    const mail = { alerts, isOn: mailAlerts.isOn, isOperator: site.isClosed, ownAddress: signedIn.user.email };
    const { problem } = shown;
    const address = `${MONITORS}/${id}`;
    const isEverything = offerTypes(search === null).every((type) => types.includes(type));
    const lead = html`${describeWatched(monitor)}. Since ${formatMoment(createdAt)}. Reports ${isEverything ? 'every kind of change' : types.join(', ')}${fields && html` (only ${fields.join(', ')})`}.`;
    const editor =
      search === null &&
      html`<details${problem !== undefined && html` open`}><summary>Add or remove companies</summary>
      <form method="post" action="${address}/companies">${listField('', 'Companies to add or remove', problem)}
        <div class="buttons"><button name="action" value="add">Add</button><button class="quiet" name="action" value="remove">Remove</button></div>
      </form></details>`;
    const receivers = endpoints.map(
      ({ id, url, disabledReason }) =>
        html`<li><a href="/dashboard/webhooks/${id}"><bdi>${url}</bdi></a>${disabledReason !== null && ' (disabled)'}</li>`,
    );
    const feedForm = html`<form method="post" action="${address}/feed" class="inline">
      <button class="quiet">${hasFeed ? 'Renew the feed address' : 'Create a feed address'}</button>
      ${hasFeed && html`<button class="quiet" name="action" value="remove">Remove the feed</button><span class="quiet">The current address stops working.</span>`}
    </form>`;
    const settings = html`<details><summary>Change the name${search !== null && ', the search'} or what counts</summary>
      <form method="post" action="${address}">
        ${nameField(name, problem)}
        ${search !== null && searchField(writeSearch(search), 'Search', problem)}
        ${scopeFields(monitor, search === null)}
        <button>Save</button>
      </form></details>`;
    const content = html`${monitor.problem !== null && notice('warn', 'This monitor has stopped', 'Its search matches too many companies. Change the search below to continue.')}
    ${section('changes', 'Latest changes', html`${changes}<p class="hint">All of them: <code>GET /api/v1/monitors/${id}/changes</code></p>`)}
    ${section('companies', 'Companies', html`<p><a href="${address}/companies">Show the companies</a></p>${editor}`)}
    ${alertsSection(id, mail, problem)}
    ${section(
      'sent',
      'Webhooks',
      html`${receivers.length === 0 ? html`<p>No endpoint gets its events.</p>` : html`<ul>${receivers}</ul>`}
      <p><a href="/dashboard/webhooks">Manage webhooks</a></p>`,
    )}
    ${section('feed', 'Atom feed', feedForm)}
    ${section('settings', 'Settings', settings)}
    ${section('delete', 'Delete', html`<p><a href="${address}/delete">Delete monitor</a> <span class="quiet">With everything that it has reported.</span></p>`)}`;
    const head = { title: plainName(name), heading: showName(name), above: [ABOVE], lead, ...shown };
    return pages.send(reply, signedIn, head, content, { scripts: ['copy.js', LIST_FILE] });
  }

  const toPage = ({ params: { id } }: { readonly params: { readonly id: string } }) =>
    isUuid(id) ? `${MONITORS}/${id.toLowerCase()}` : MONITORS;
  pages.get(`${MONITORS}/:id`, ({ params }, reply, signedIn) => showOne(reply, signedIn, params.id), toPage);
  pages.get(`${MONITORS}/:id/companies`, async ({ params, query }, reply, signedIn) => {
    const { accountId } = signedIn.account;
    const after = typeof query.after === 'string' && isUuid(query.after) ? query.after.toLowerCase() : undefined;
    const { id, name, entities } = await monitors.find(accountId, parseMonitorId(params.id));
    const ids = await monitors.listEntities(accountId, id, after, COMPANIES + 1);
    const listed = ids.slice(0, COMPANIES);
    const found = await Promise.all(listed.map((each) => registry.findExcerpt(each)));
    const companies = found.flatMap((each) => (each ? [each.content.value as unknown as EntitySummary] : []));
    const content = html`<p class="total">${formatAmount(entities, 'company', 'companies')}</p>
      ${resultList(companies)}
      ${ids.length > COMPANIES && html`<p><a href="${MONITORS}/${id}/companies?after=${listed.at(-1)}">Next page</a></p>`}`;
    const above = [ABOVE, [`${MONITORS}/${id}`, showName(name)]] as const;
    const head = { title: `Companies of ${plainName(name)}`, heading: html`Companies`, above };
    return pages.send(reply, signedIn, head, content);
  });
  pages.askRemoval(`${MONITORS}/:id/delete`, MONITORS, async ({ params }, accountId) => {
    const { id, name } = await monitors.find(accountId, parseMonitorId(params.id));
    const effect =
      'Everything that it has reported is deleted, too, and webhooks and its feed report nothing more of it.';
    const back = `${MONITORS}/${id}`;
    return { verb: 'Delete', noun: 'monitor', name, effect, action: `${back}/delete`, back };
  });

  const showAgain: ShowProblem = ({ params }, reply, signedIn, problem) =>
    showOne(reply, signedIn, params.id, { problem });
  const forms: AccountForms = {
    [`${MONITORS}/:id`]: orShow(showAgain, async ({ params, body = {} }, reply, { account }) => {
      const { name = '', search } = body;
      const given = { name, ...requireScope(body), ...(search !== undefined && { search: parseFilters(search) }) };
      const { added, removed } = await monitors.update(account, parseMonitorId(params.id), given);
      const moved =
        added !== null && removed !== null && `${describeCount(added, 'added')} ${describeCount(removed, 'removed')}`;
      return pages.confirm(reply, 'monitor-changed', moved || '', toPage({ params }));
    }),
    [`${MONITORS}/:id/companies`]: orShow(showAgain, async ({ params, body = {} }, reply, signedIn) => {
      const { ids, missed } = await findListed(registry, body.list ?? '');
      const isRemoval = body.action === 'remove';
      const change = isRemoval ? { add: [], remove: ids } : { add: ids, remove: [] };
      const { added, removed } = await monitors.changeEntities(signedIn.account, parseMonitorId(params.id), change);
      const done = isRemoval ? describeCount(removed, 'removed') : describeCount(added, 'added');
      if (missed === undefined) return pages.confirm(reply, 'monitor-changed', done, toPage({ params }));
      return showOne(reply, signedIn, params.id, { done: html`${notice('good', 'Saved', done)}${missed}` });
    }),
    [`${MONITORS}/:id/alerts`]: orShow(showAgain, async ({ params, body = {} }, reply, { account, user }) => {
      const { address = '', rhythm, action, id = '' } = body;
      const monitor = parseMonitorId(params.id);
      if (action === 'remove') await mailAlerts.remove(account.accountId, monitor, id);
      else {
        const chosen = { address, rhythm: rhythm === 'immediate' ? rhythm : 'daily' } as const;
        await mailAlerts.add(account.accountId, monitor, chosen, user.email);
      }
      return reply.redirect(`${toPage({ params })}#alerts`, 303);
    }),
    async [`${MONITORS}/:id/feed`]({ params, body }, reply, signedIn) {
      const { accountId } = signedIn.account;
      if (body?.action === 'remove') {
        await monitors.removeFeed(accountId, parseMonitorId(params.id));
        return reply.redirect(toPage({ params }), 303);
      }
      const address = `${publicUrl()}/feeds/${await monitors.renewFeed(accountId, parseMonitorId(params.id))}`;
      const text = html`Anyone who has it can read the changes. It is shown only now.${codeBlock('Atom feed', address)}`;
      return showOne(reply, signedIn, params.id, { done: notice('good', 'Feed address', text) });
    },
    async [`${MONITORS}/:id/delete`]({ params }, reply, { account }) {
      await monitors.delete(account.accountId, parseMonitorId(params.id));
      return reply.redirect(MONITORS, 303);
    },
  };
  pages.post(forms, undefined, MAX_BODY_BYTES);

  app.get<{ Params: { feed: string } }>('/feeds/:feed', async ({ params, headers }, reply) => {
    if (!services.isPrepared()) throw fail('service_unavailable', { retryAfter: 1 });
    const monitor = await monitors.findByFeed(params.feed);
    const { accountId } = monitor;
    const [newest] = await monitorChanges.readLatest(accountId, monitor.id, 1);
    const tag = `"${monitor.id}.${newest?.cursor ?? 0}"`;
    reply.header('etag', tag).header('cache-control', 'private, no-cache');
    if (headers['if-none-match'] === tag) return reply.code(304).send();
    const account = await services.accounts.findTerms(accountId);
    if (account === undefined) throw fail('monitor_not_found');
    const latest = await loadLatest(account, monitor.id);
    if (latest.outcome === 'denied') throw fail(latest.code);
    return reply.type(ATOM).send(monitorFeed(monitor, latest.answer, publicUrl()));
  });

  return showOne;
}

const ABOVE = [MONITORS, 'Monitors'] as const;

export const parseMonitorId = (text: string) => requireId(text, 'monitor_not_found');

export function describeWatched({ name, entities, search, problem }: Monitor): Html {
  const amount = formatAmount(entities, 'company', 'companies');
  if (problem !== null) return html`stopped, because its search matches too many companies`;
  if (search === null) return html`${amount}`;
  const text = describeSearch(toSearchQuery(search));
  return html`${amount} matching <a href="/explore?${writeSearch(search) || 'q='}">${text === name ? 'this search' : showText(text)}</a>`;
}

function writeSearch(search: NonNullable<Monitor['search']>): string {
  return new URLSearchParams(search as Record<string, string>).toString();
}

const describeCount = (count: number, what: string) => `${formatAmount(count, 'company', 'companies')} ${what}.`;

function lineNotice(title: string, lines: readonly string[]): Html | false {
  if (lines.length === 0) return false;
  const left = lines.length - NOTICE_LINES;
  const items = lines.slice(0, NOTICE_LINES).map((line) => html`<li><code>${showText(line)}</code></li>`);
  return notice('warn', title, html`<ul>${items}${left > 0 && html`<li>and ${formatCount(left)} more</li>`}</ul>`);
}

function showChanges(changes: readonly MonitorChange[]): Html {
  if (changes.length === 0) return html`<p>No changes yet.</p>`;
  const items = changes.map((change) => {
    const { entityId, occurredAt, before, after, type } = change;
    const name = (after ?? before)?.canonicalName ?? entityId ?? '';
    return html`<li><p><a href="/entities/${entityId}">${showText(name)}</a>: ${type}</p>
    ${describeChange(change).map((line) => html`<p>${line}</p>`)}
    <p class="quiet"><time datetime="${occurredAt}">${formatMoment(Date.parse(occurredAt))}</time></p></li>`;
  });
  return html`<ol class="timeline">${items}</ol>`;
}

/** The changes of a monitor as an Atom feed, the newest first. */
function monitorFeed({ id, name, createdAt }: Monitor, changes: readonly MonitorChange[], publicUrl: string): string {
  const entries = changes.map((change) => {
    const { cursor, type, entityId, occurredAt, before, after, fields } = change;
    const lines = [...listValues(change), ...(fields.length > 0 ? [`Changed: ${fields.join(', ')}`] : [])];
    return {
      id: `urn:firmament:${id}:${cursor}`,
      title: `${(after ?? before)?.canonicalName ?? ''}: ${type}`,
      updated: occurredAt,
      address: `${publicUrl}/entities/${entityId}`,
      text: lines.join('\n'),
    };
  });
  const address = `${publicUrl}${MONITORS}/${id}`;
  return atomFeed({ id: `urn:uuid:${id}`, title: name, created: createdAt, address, entries });
}

/** Finds the companies of a pasted list, and a notice of the lines without a company. Throws `invalid_request` if no line names a company. */
export async function findListed(registry: Pick<Registry, 'findIds'>, list: string) {
  const { references, unread } = await parsePastedCompanies(list, MAX_ENTITIES);
  if (references.length === 0) {
    const lines = unread.slice(0, ERROR_LINES).map((line) => `\n${line}`);
    const message = `No line has the id of a company, or a country and a registration number, such as "GB,00445790".${lines.join('')}`;
    throw fail('invalid_request', { message, field: 'list' });
  }
  const found = await registry.findIds(references);
  const notFound = references.flatMap((given, index) => {
    if (found[index] !== undefined) return [];
    return 'id' in given ? given.id : `${given.countryCode},${given.registrationNumber}`;
  });
  const missed = html`${lineNotice(`${formatAmount(notFound.length, 'company', 'companies')} not found`, notFound)}
    ${lineNotice(`${formatAmount(unread.length, 'line')} could not be read`, unread)}`;
  const isWhole = notFound.length + unread.length === 0;
  return { ids: found.filter((id) => id !== undefined), missed: isWhole ? undefined : missed };
}

/** Parses the parameters of a search from an address, without order and page. Throws `invalid_request`. */
export function parseFilters(text: string): Record<string, string> {
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

const TYPE_LABELS: Readonly<Record<MonitorType, string>> = {
  added: 'Added: appears for the first time',
  changed: 'Changed: something in the record',
  delisted: 'Delisted: no longer in the register',
  relisted: 'Relisted: in the register again',
  entered: 'Entered: begins to match the search',
  left: 'Left: no longer matches the search',
};
const FIELD_LABELS: Readonly<Record<(typeof monitorFields)[number], string>> = {
  status: 'Status',
  canonicalName: 'Name',
  address: 'Address',
  legalForm: 'Legal form',
  registeredAt: 'Date of registration',
  related: 'Related companies',
  parties: 'Owners and other parties',
};

/** The kinds of changes that a monitor can report. Companies of a list cannot enter or leave. */
function offerTypes(isList: boolean): MonitorType[] {
  return monitorTypes.filter((type) => !isList || (type !== 'entered' && type !== 'left'));
}

/** Checkboxes for what counts as a change. `parseScope` parses them. */
export function scopeFields({ types, fields }: Scope, isList = false): Html {
  const isChosen = (type: MonitorType) => types.length === 0 || types.includes(type);
  return html`<fieldset><legend>Report a company if it is</legend>
      ${offerTypes(isList).map((type) => checkbox(`type:${type}`, TYPE_LABELS[type], isChosen(type)))}</fieldset>
    <fieldset><legend>Of changed companies, only changes of</legend>
      ${monitorFields.map((field) => checkbox(`field:${field}`, FIELD_LABELS[field], fields?.includes(field) === true))}
      <p class="hint">None chosen: every change counts.</p></fieldset>`;
}

/** Parses what counts as a change. */
export function parseScope(form: Fields): Scope {
  const fields = monitorFields.filter((field) => form[`field:${field}`] !== undefined);
  const types = monitorTypes.filter((type) => form[`type:${type}`] !== undefined);
  return { types, fields: fields.length === 0 ? null : fields };
}

export function requireScope(form: Fields): Scope {
  const scope = parseScope(form);
  if (scope.types.length > 0) return scope;
  throw fail('invalid_request', { message: 'Choose at least one kind of change.' });
}

/** A field for a pasted list, and a button that fills it from a file. `public/list-file.js` reveals the button. */
export function listField(value: string | undefined, label: string, problem: Problem | undefined): Html {
  const hint = html`One per line: an id, or country and registration number, such as <code>GB,00445790</code>. Or CSV with a
      heading and the column <code>id</code>, or the columns <code>country</code> and <code>number</code>. Up to 10,000.`;
  return html`${textField({ name: 'list', label, value, rows: 8, hint, problem })}
    <p class="file" hidden><label for="list-file">From a file</label> <input id="list-file" type="file" accept=".csv,.txt,text/csv,text/plain" data-fills="list"></p>`;
}

export function searchField(value: string | undefined, label: string, problem: Problem | undefined): Html {
  const hint = html`The address of <a href="/explore">a search</a>, or its parameters, such as <code>q=bank&amp;country=GB</code>.
      It may match up to 10,000 companies.`;
  return textField({ name: 'search', label, value, attributes: html`spellcheck="false"`, hint, problem });
}

export function nameField(value: string | undefined, problem: Problem | undefined): Html {
  return textField({ name: 'name', label: 'Name', value, attributes: html`required maxlength="60"`, problem });
}
