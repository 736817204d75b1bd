import type { Plan } from '../../core/plans.ts';
import type { MonitorChange } from '../../monitors/monitor.ts';
import type { Monitor } from '../../monitors/monitors.ts';
import { type Html, html } from '../html.ts';
import { codeBlock } from '../parts/code-block.ts';
import { layout, type Visitor } from '../parts/layout.ts';
import { notice } from '../parts/notice.ts';
import { describeChange } from '../parts/record/timeline.ts';
import { showText } from '../text/display-text.ts';
import { formatAmount, formatCount, formatMoment } from '../text/formatting.ts';

export interface MonitorsView {
  readonly visitor: Visitor;
  readonly plan: Plan;
  readonly monitors: readonly Monitor[];
  /** What the form contains: at first the search that led here. */
  readonly form: { readonly name: string; readonly list: string; readonly search: string };
  readonly problem?: string;
}

/** All monitors of the account, and a form for a new one. */
export function monitorsPage({ visitor, plan, monitors, form, problem }: MonitorsView): Html {
  const watched = monitors.reduce((sum, { entities }) => sum + entities, 0);
  return layout(
    'Monitors',
    html`<h1>Monitors</h1>
    <p class="lead">A monitor reports what changes about the companies in it. <a href="/docs/monitors">How monitors work</a></p>
    ${problem !== undefined && notice('bad', 'The monitor was not created', problem)}
    <p>${formatAmount(monitors.length, 'monitor')} of ${formatCount(plan.maxMonitors)},
      ${formatAmount(watched, 'watched company', 'watched companies')} of ${formatCount(plan.maxWatchedCompanies)}.</p>
    <ul class="monitors">${monitors.map(
      (monitor) => html`<li><a href="/dashboard/monitors/${monitor.id}"><bdi>${monitor.name}</bdi></a>:
      ${describeWatched(monitor)}</li>`,
    )}</ul>
    <section aria-labelledby="new-title"><h2 id="new-title">New monitor</h2>
    <form method="post" action="/dashboard/monitors" class="stack">
      <label for="name">Name</label>
      <input id="name" name="name" required maxlength="60" value="${form.name}" autocomplete="off">
      <label for="list">Companies</label>
      <textarea id="list" name="list" rows="8" spellcheck="false" aria-describedby="list-hint">${form.list}</textarea>
      <p class="hint" id="list-hint">One per line: an id, or country and registration number, such as <code>GB,00445790</code>. Up to 10,000.</p>
      <label for="search">Or a search</label>
      <input id="search" name="search" value="${form.search}" spellcheck="false" autocomplete="off" aria-describedby="search-hint">
      <p class="hint" id="search-hint">Parameters as in the address of <a href="/explore">a search</a>, such as <code>q=bank&amp;country=GB</code>.
        It may match up to 10,000 companies.</p>
      <button>Create monitor</button>
    </form></section>`,
    { section: '/dashboard', visitor },
  );
}

function describeWatched({ entities, search, problem }: Monitor): Html {
  const amount = formatAmount(entities, 'company', 'companies');
  if (problem !== null) return html`stopped, because its search matches too many companies`;
  if (search === null) return html`${amount}`;
  return html`${amount} matching <code>${writeSearch(search)}</code>`;
}

function writeSearch(search: object): string {
  return new URLSearchParams(search as Record<string, string>).toString();
}

export interface MonitorView {
  readonly visitor: Visitor;
  readonly monitor: Monitor;
  /** The newest first. */
  readonly changes: readonly MonitorChange[];
  /** The address of a feed that was created just now. */
  readonly feed?: string;
  /** Lines of a pasted list that there are no companies for. */
  readonly notFound?: readonly string[];
}

export function monitorPage({ visitor, monitor, changes, feed, notFound = [] }: MonitorView): Html {
  const { id, name, types, fields, createdAt, hasFeed } = monitor;
  const action = (path: string) => `/dashboard/monitors/${id}/${path}`;
  return layout(
    name,
    html`<p><a href="/dashboard/monitors">Monitors</a></p>
    <h1><bdi>${name}</bdi></h1>
    <p class="lead">${describeWatched(monitor)}. Since ${formatMoment(createdAt)}. Reports ${types.join(', ')}${
      fields &&
      html`
      (only ${fields.join(', ')})`
    }.</p>
    ${notFound.length > 0 && notice('warn', `${formatAmount(notFound.length, 'company', 'companies')} not found`, html`<code>${notFound.slice(0, 20).join(' · ')}</code>`)}
    ${feed !== undefined && notice('good', 'Feed address', html`Anyone who has it can read the changes. It is shown only now.${codeBlock('Atom feed', feed)}`)}
    <section aria-labelledby="changes-title"><h2 id="changes-title">Latest changes</h2>
    ${changes.length === 0 ? html`<p>No changes yet.</p>` : html`<ol class="timeline">${changes.map(showChange)}</ol>`}
    <p class="hint">All of them: <code>GET /api/v1/monitors/${id}/changes</code></p></section>
    <section aria-labelledby="feed-title"><h2 id="feed-title">Atom feed</h2>
    <form method="post" action="${action('feed')}" class="inline">
      <button class="quiet">${hasFeed ? 'Renew the feed address' : 'Create a feed address'}</button>
      ${hasFeed && html`<span class="quiet">The current address stops working.</span>`}
    </form></section>
    <section aria-labelledby="delete-title"><h2 id="delete-title">Delete</h2>
    <form method="post" action="${action('delete')}" class="inline"><button class="danger">Delete monitor</button>
      <span class="quiet">With everything that it has reported.</span></form></section>`,
    { section: '/dashboard', visitor, scripts: ['copy.js'] },
  );
}

function showChange(change: MonitorChange): Html {
  const { entityId, occurredAt, before, after, type } = change;
  const name = (after ?? before)?.canonicalName ?? entityId ?? '';
  return html`<li><p><a href="/entities/${entityId}">${showText(name)}</a>: ${type}</p>
    ${describeChange(change).map((line) => html`<p>${line}</p>`)}
    <p class="quiet"><time datetime="${occurredAt}">${formatMoment(Date.parse(occurredAt))}</time></p></li>`;
}
