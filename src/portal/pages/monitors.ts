import { atomFeed } from '../../base/atom.ts';
import { plainName, showName, showText } from '../../base/display-text.ts';
import type { EntitySummary } from '../../base/entity-summary.ts';
import { Html, html } from '../../base/html.ts';
import type { Plan } from '../../base/plans.ts';
import type { Fields } from '../../base/requests/form-fields.ts';
import { toSearchQuery } from '../../search/parameters.ts';
import { listValues } from '../../watch/mail/message.ts';
import {
  type MonitorChange,
  type MonitorType,
  monitorFields,
  monitorTypes,
  type Scope,
} from '../../watch/monitors/monitor.ts';
import type { Monitor } from '../../watch/monitors/monitors.ts';
import type { WebhookEndpoint } from '../../watch/webhooks/endpoints.ts';
import { codeBlock, notice, type Problem, problemNotice, textField } from '../parts/blocks.ts';
import { layout, type Visitor } from '../parts/layout.ts';
import { describeSearch } from '../parts/search/filters.ts';
import { resultList } from '../parts/search/results.ts';
import { describeChange } from '../record/timeline.ts';
import { formatAmount, formatCount, formatMoment } from '../text/formatting.ts';
import { type AlertsView, alertsSection } from './alerts.ts';
import { removalPage } from './messages.ts';

const PATH = '/dashboard/monitors';
const SCRIPTS = ['copy.js', 'list-file.js'];

export interface MonitorsView {
  readonly visitor: Visitor;
  readonly plan: Plan;
  readonly monitors: readonly Monitor[];
  /** What the form contains. */
  readonly form: { readonly name: string; readonly list: string; readonly search: string } & Scope;
  readonly problem?: Problem;
}

export function monitorsPage({ visitor, plan, monitors, form, problem }: MonitorsView): Html {
  const watched = monitors.reduce((sum, { entities }) => sum + entities, 0);
  return layout(
    'Monitors',
    html`<h1>Monitors</h1>
    <p class="lead">A monitor reports what changes about the companies in it. <a href="/docs/monitors">How monitors work</a> ·
      <a href="/dashboard/webhooks">Webhooks</a></p>
    ${problemNotice(problem, 'The monitor was not created')}
    <p>${formatAmount(monitors.length, 'monitor')} of ${formatCount(plan.maxMonitors)},
      ${formatAmount(watched, 'watched company', 'watched companies')} of ${formatCount(plan.maxWatchedCompanies)}.</p>
    <ul class="monitors">${monitors.map(
      (monitor) => html`<li><a href="${PATH}/${monitor.id}">${showName(monitor.name)}</a>:
      ${describeWatched(monitor)}</li>`,
    )}</ul>
    <section aria-labelledby="new-title"><h2 id="new-title">New monitor</h2>
    <form method="post" action="${PATH}">
      ${nameField(form.name, problem)}
      ${listField(form.list, 'Companies', problem)}
      ${searchField(form.search, 'Or a search', problem)}
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
  return html`${amount} matching <a href="/explore?${writeSearch(search) || 'q='}">${showText(describeSearch(toSearchQuery(search)))}</a>`;
}

export interface MonitorView {
  readonly visitor: Visitor;
  readonly monitor: Monitor;
  /** The newest first, or why they are not shown. */
  readonly changes: readonly MonitorChange[] | Html;
  readonly endpoints: readonly WebhookEndpoint[];
  readonly mail: AlertsView;
  readonly feed?: string;
  /** Lines of a pasted list that there are no companies for, and those that name no company. */
  readonly notFound?: readonly string[];
  readonly unread?: readonly string[];
  readonly done?: Html | undefined;
  readonly problem?: Problem;
}

export function monitorPage(view: MonitorView): Html {
  const { visitor, monitor, changes, endpoints, mail, feed, notFound = [], unread = [], done, problem } = view;
  const { id, name, search, types, fields, createdAt, hasFeed } = monitor;
  const action = (path: string) => `${PATH}/${id}/${path}`;
  return layout(
    name,
    html`<p><a href="${PATH}">Monitors</a></p>
    <h1>${showName(name)}</h1>
    <p class="lead">${describeWatched(monitor)}. Since ${formatMoment(createdAt)}. Reports ${types.length === monitorTypes.length ? 'every kind of change' : types.join(', ')}${
      fields &&
      html`
      (only ${fields.join(', ')})`
    }.</p>
    ${problemNotice(problem)}
    ${done}
    ${monitor.problem !== null && notice('warn', 'This monitor has stopped', 'Its search matches too many companies. Change the search below to continue.')}
    ${lineNotice(`${formatAmount(notFound.length, 'company', 'companies')} not found`, notFound)}
    ${lineNotice(`${formatAmount(unread.length, 'line')} could not be read`, unread)}
    ${feed !== undefined && notice('good', 'Feed address', html`Anyone who has it can read the changes. It is shown only now.${codeBlock('Atom feed', feed)}`)}
    <section aria-labelledby="changes-title"><h2 id="changes-title">Latest changes</h2>
    ${showChanges(changes)}
    <p class="hint">All of them: <code>GET /api/v1/monitors/${id}/changes</code></p></section>
    <section aria-labelledby="companies-title"><h2 id="companies-title">Companies</h2>
    <p><a href="${action('companies')}">Show the companies</a></p>
    ${
      search === null &&
      html`<details${problem !== undefined && html` open`}><summary>Add or remove companies</summary>
      <form method="post" action="${action('companies')}">${listField('', 'Companies to add or remove', problem)}
        <div class="buttons"><button name="action" value="add">Add</button><button class="quiet" name="action" value="remove">Remove</button></div>
      </form></details>`
    }</section>
    ${alertsSection(id, mail, problem)}
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
      ${nameField(name, problem)}
      ${search !== null && searchField(writeSearch(search), 'Search', problem)}
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

/** How many lines of a list a notice shows. */
const MAX_LINES = 100;

function lineNotice(title: string, lines: readonly string[]): Html | false {
  if (lines.length === 0) return false;
  const left = lines.length - MAX_LINES;
  const items = lines.slice(0, MAX_LINES).map((line) => html`<li><code>${showText(line)}</code></li>`);
  return notice('warn', title, html`<ul>${items}${left > 0 && html`<li>and ${formatCount(left)} more</li>`}</ul>`);
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
  readonly next: string | undefined;
}

export function companiesPage({ visitor, monitor, companies, next }: CompaniesView): Html {
  const { id, name, entities } = monitor;
  return layout(
    `Companies of ${plainName(name)}`,
    html`<p><a href="${PATH}">Monitors</a> / <a href="${PATH}/${id}">${showName(name)}</a></p>
    <h1>Companies</h1>
    <p class="total">${formatAmount(entities, 'company', 'companies')}</p>
    ${resultList(companies)}
    ${next !== undefined && html`<p><a href="${PATH}/${id}/companies?after=${next}">Next page</a></p>`}`,
    { section: '/dashboard', visitor },
  );
}

export function deleteMonitorPage(
  { id, name }: { readonly id: string; readonly name: string },
  visitor: Visitor,
): Html {
  const effect =
    'Everything that it has reported is deleted, too, and webhooks and its feed report nothing more of it.';
  const button = html`<button class="danger">Delete monitor</button>`;
  const back = `/dashboard/monitors/${id}`;
  return removalPage(
    { verb: 'Delete', noun: 'monitor', name, effect, button, action: `${back}/delete`, back },
    visitor,
  );
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

/** What counts as a change, as checkboxes. `readScopeFields` reads them. Companies of a list cannot enter or leave. */
function scopeFields({ types, fields }: Scope, isList = false): Html {
  const offered = monitorTypes.filter((type) => !isList || (type !== 'entered' && type !== 'left'));
  return html`<fieldset><legend>Report a company if it is</legend>
      ${offered.map((type) => choice(`type:${type}`, TYPE_LABELS[type], types.includes(type)))}</fieldset>
    <fieldset><legend>Of changed companies, only changes of</legend>
      ${monitorFields.map((field) => choice(`field:${field}`, FIELD_LABELS[field], fields?.includes(field) === true))}
      <p class="hint">None chosen: every change counts.</p></fieldset>`;
}

/** Undefined if no kind of change is chosen. */
export function readScopeFields(form: Fields): Scope | undefined {
  const types = monitorTypes.filter((type) => form[`type:${type}`] !== undefined);
  const fields = monitorFields.filter((field) => form[`field:${field}`] !== undefined);
  return types.length === 0 ? undefined : { types, fields: fields.length === 0 ? null : fields };
}

export function choice(name: string, label: Html | string, isChecked: boolean): Html {
  return html`<label class="choice"><input type="checkbox" name="${name}" value="yes"${isChecked && html` checked`}> ${label}</label>`;
}

/** A field for a pasted list, and a button that fills it from a file. `public/list-file.js` reveals the button. */
function listField(value: string, label: string, problem: Problem | undefined): Html {
  const hint = html`One per line: an id, or country and registration number, such as <code>GB,00445790</code>. Or CSV with a
      heading and the column <code>id</code>, or the columns <code>country</code> and <code>number</code>. Up to 10,000.`;
  return html`${textField({ name: 'list', label, value, rows: 8, hint, problem })}
    <p class="file" hidden><label for="list-file">From a file</label> <input id="list-file" type="file" accept=".csv,.txt,text/csv,text/plain" data-fills="list"></p>`;
}

function searchField(value: string, label: string, problem: Problem | undefined): Html {
  const hint = html`The address of <a href="/explore">a search</a>, or its parameters, such as <code>q=bank&amp;country=GB</code>.
      It may match up to 10,000 companies.`;
  return textField({ name: 'search', label, value, attributes: html`spellcheck="false"`, hint, problem });
}

function nameField(value: string, problem: Problem | undefined): Html {
  return textField({ name: 'name', label: 'Name', value, attributes: html`required maxlength="60"`, problem });
}

function writeSearch(search: NonNullable<Monitor['search']>): string {
  return new URLSearchParams(search as Record<string, string>).toString();
}

/** The changes of a monitor as an Atom feed, the newest first. */
export function monitorFeed(
  { id, name, createdAt }: Monitor,
  changes: readonly MonitorChange[],
  publicUrl: string,
): string {
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
  const address = `${publicUrl}${PATH}/${id}`;
  return atomFeed({ id: `urn:uuid:${id}`, title: name, created: createdAt, address, entries });
}
