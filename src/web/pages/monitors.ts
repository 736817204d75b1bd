import type { EntitySummary } from '../../core/entity-summary.ts';
import type { Plan } from '../../core/plans.ts';
import type { MonitorChange, Scope } from '../../monitors/monitor.ts';
import type { Monitor } from '../../monitors/monitors.ts';
import type { WebhookEndpoint } from '../../webhooks/endpoints.ts';
import { Html, html } from '../html.ts';
import { listField, nameField, scopeFields, searchField, writeSearch } from '../parts/account/monitor-forms.ts';
import { codeBlock } from '../parts/code-block.ts';
import { layout, type Visitor } from '../parts/layout.ts';
import { notice } from '../parts/notice.ts';
import { describeChange } from '../parts/record/timeline.ts';
import { resultList } from '../parts/search/results.ts';
import { plainName, showName, showText } from '../text/display-text.ts';
import { formatAmount, formatCount, formatMoment } from '../text/formatting.ts';

const PATH = '/dashboard/monitors';
const SCRIPTS = ['copy.js', 'list-file.js'];

export interface MonitorsView {
  readonly visitor: Visitor;
  readonly plan: Plan;
  readonly monitors: readonly Monitor[];
  /** What the form contains: at first the search that led here. */
  readonly form: { readonly name: string; readonly list: string; readonly search: string } & Scope;
  readonly problem?: string;
}

/** All monitors of the account, and a form for a new one. */
export function monitorsPage({ visitor, plan, monitors, form, problem }: MonitorsView): Html {
  const watched = monitors.reduce((sum, { entities }) => sum + entities, 0);
  return layout(
    'Monitors',
    html`<h1>Monitors</h1>
    <p class="lead">A monitor reports what changes about the companies in it. <a href="/docs/monitors">How monitors work</a> ·
      <a href="/dashboard/webhooks">Webhooks</a></p>
    ${problem !== undefined && notice('bad', 'The monitor was not created', problem)}
    <p>${formatAmount(monitors.length, 'monitor')} of ${formatCount(plan.maxMonitors)},
      ${formatAmount(watched, 'watched company', 'watched companies')} of ${formatCount(plan.maxWatchedCompanies)}.</p>
    <ul class="monitors">${monitors.map(
      (monitor) => html`<li><a href="${PATH}/${monitor.id}">${showName(monitor.name)}</a>:
      ${describeWatched(monitor)}</li>`,
    )}</ul>
    <section aria-labelledby="new-title"><h2 id="new-title">New monitor</h2>
    <form method="post" action="${PATH}">
      ${nameField(form.name)}
      ${listField(form.list, 'Companies')}
      ${searchField(form.search, 'Or a search')}
      <details><summary>What counts as a change</summary>${scopeFields(form)}</details>
      <button>Create monitor</button>
    </form></section>`,
    { section: '/dashboard', visitor, scripts: SCRIPTS },
  );
}

function describeWatched({ entities, search, problem }: Monitor): Html {
  const amount = formatAmount(entities, 'company', 'companies');
  if (problem !== null) return html`stopped, because its search matches too many companies`;
  if (search === null) return html`${amount}`;
  return html`${amount} matching <code>${writeSearch(search) || 'everything'}</code>`;
}

export interface MonitorView {
  readonly visitor: Visitor;
  readonly monitor: Monitor;
  /** The newest first, or why they are not shown. */
  readonly changes: readonly MonitorChange[] | Html;
  /** Those that get its events. */
  readonly endpoints: readonly WebhookEndpoint[];
  /** The address of a feed that was created just now. */
  readonly feed?: string;
  /** Lines of a pasted list that there are no companies for. */
  readonly notFound?: readonly string[];
  /** What was done, and why it failed. */
  readonly done?: Html | undefined;
  readonly problem?: string;
}

export function monitorPage(view: MonitorView): Html {
  const { visitor, monitor, changes, endpoints, feed, notFound = [], done, problem } = view;
  const { id, name, search, types, fields, createdAt, hasFeed } = monitor;
  const action = (path: string) => `${PATH}/${id}/${path}`;
  return layout(
    name,
    html`<p><a href="${PATH}">Monitors</a></p>
    <h1>${showName(name)}</h1>
    <p class="lead">${describeWatched(monitor)}. Since ${formatMoment(createdAt)}. Reports ${types.join(', ')}${
      fields &&
      html`
      (only ${fields.join(', ')})`
    }.</p>
    ${problem !== undefined && notice('bad', 'Request failed', problem)}
    ${done}
    ${monitor.problem !== null && notice('warn', 'This monitor has stopped', 'Its search matches too many companies. Change the search below to continue.')}
    ${notFound.length > 0 && notice('warn', `${formatAmount(notFound.length, 'company', 'companies')} not found`, html`<code>${notFound.slice(0, 20).join(' · ')}</code>`)}
    ${feed !== undefined && notice('good', 'Feed address', html`Anyone who has it can read the changes. It is shown only now.${codeBlock('Atom feed', feed)}`)}
    <section aria-labelledby="changes-title"><h2 id="changes-title">Latest changes</h2>
    ${showChanges(changes)}
    <p class="hint">All of them: <code>GET /api/v1/monitors/${id}/changes</code></p></section>
    <section aria-labelledby="companies-title"><h2 id="companies-title">Companies</h2>
    <p><a href="${search === null ? action('companies') : `/explore?${writeSearch(search) || 'q='}`}">Show the companies</a> <span class="quiet">Uses 1 request</span></p>
    ${
      search === null &&
      html`<details${problem !== undefined && html` open`}><summary>Add or remove companies</summary>
      <form method="post" action="${action('companies')}">${listField('', 'Companies to add or remove')}
        <div class="buttons"><button name="action" value="add">Add</button><button class="quiet" name="action" value="remove">Remove</button></div>
      </form></details>`
    }</section>
    <section aria-labelledby="sent-title"><h2 id="sent-title">Webhooks</h2>
    ${
      endpoints.length === 0
        ? html`<p>No endpoint gets its events.</p>`
        : html`<ul>${endpoints.map((endpoint) => html`<li><a href="/dashboard/webhooks/${endpoint.id}"><bdi>${endpoint.url}</bdi></a>${endpoint.disabledReason !== null && ' (disabled)'}</li>`)}</ul>`
    }
    <p><a href="/dashboard/webhooks">Manage webhooks</a></p></section>
    <section aria-labelledby="settings-title"><h2 id="settings-title">Settings</h2>
    <details><summary>Change the name${search !== null && ', the search'} or what counts</summary>
    <form method="post" action="${PATH}/${id}">
      ${nameField(name)}
      ${search !== null && searchField(writeSearch(search), 'Search')}
      ${scopeFields(monitor, search === null)}
      <button>Save</button>
    </form></details></section>
    <section aria-labelledby="feed-title"><h2 id="feed-title">Atom feed</h2>
    <form method="post" action="${action('feed')}" class="inline">
      <button class="quiet">${hasFeed ? 'Renew the feed address' : 'Create a feed address'}</button>
      ${hasFeed && html`<button class="quiet" name="action" value="remove">Remove the feed</button><span class="quiet">The current address stops working.</span>`}
    </form></section>
    <section aria-labelledby="delete-title"><h2 id="delete-title">Delete</h2>
    <p><a href="${action('delete')}">Delete monitor</a> <span class="quiet">With everything that it has reported.</span></p></section>`,
    { section: '/dashboard', visitor, scripts: SCRIPTS },
  );
}

function showChanges(changes: MonitorView['changes']): Html {
  if (changes instanceof Html) return changes;
  return changes.length === 0
    ? html`<p>No changes yet.</p>`
    : html`<ol class="timeline">${changes.map(showChange)}</ol>`;
}

function showChange(change: MonitorChange): Html {
  const { entityId, occurredAt, before, after, type } = change;
  const name = (after ?? before)?.canonicalName ?? entityId ?? '';
  return html`<li><p><a href="/entities/${entityId}">${showText(name)}</a>: ${type}</p>
    ${describeChange(change).map((line) => html`<p>${line}</p>`)}
    <p class="quiet"><time datetime="${occurredAt}">${formatMoment(Date.parse(occurredAt))}</time></p></li>`;
}

export interface CompaniesView {
  readonly visitor: Visitor;
  readonly monitor: Monitor;
  readonly companies: readonly EntitySummary[];
  /** The id after which the next page starts. */
  readonly next: string | undefined;
}

/** One page of the companies of a list. */
export function companiesPage({ visitor, monitor, companies, next }: CompaniesView): Html {
  const { id, name, entities } = monitor;
  return layout(
    `Companies of ${plainName(name)}`,
    html`<p><a href="${PATH}">Monitors</a> / <a href="${PATH}/${id}">${showName(name)}</a></p>
    <h1>Companies</h1>
    <p class="total">${formatAmount(entities, 'company', 'companies')}</p>
    ${resultList(companies)}
    ${next !== undefined && html`<p><a href="${PATH}/${id}/companies?after=${next}">Next page</a> <span class="quiet">Uses 1 request</span></p>`}`,
    { section: '/dashboard', visitor },
  );
}
