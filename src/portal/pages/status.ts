import { ATOM, atomFeed } from '../../base/atom.ts';
import { showText } from '../../base/display-text.ts';
import type { Freshness } from '../../base/freshness.ts';
import { type Html, html } from '../../base/html.ts';
import type { StatusDay } from '../../base/status.ts';
import type { Routes } from '../../http/app.ts';
import type { RegisterState } from '../../registry/registry.ts';
import { type Column, factList, notice, stackTable } from '../parts/blocks.ts';
import { layout } from '../parts/layout.ts';
import type { PageServices } from '../services.ts';
import { formatAge, formatAmount, formatCount, formatDate, formatMoment } from '../text/formatting.ts';
import { findVisitor, sendPage } from '../visitor.ts';

/** The page that shows whether the service is up, its history of 90 days, and the incidents that its operator reports. */
export function registerStatus(app: Routes, services: PageServices): void {
  const { version, registry, clock, isReady, isPrepared, publicUrl, statusHistory } = services;

  // The page must work while the database is down, so every read may fail.
  app.get('/status', async (request, reply) => {
    const ready = await isReady();
    const now = clock.now();
    const registers = isPrepared() ? await registry.listRegisters(now).catch(() => undefined) : undefined;
    const days = isPrepared() ? await statusHistory.listDays().catch(() => undefined) : undefined;
    const [incidents, visitor] = await Promise.all([statusHistory.listIncidents(), findVisitor(request, services)]);
    const content = html`<h1>Status</h1>
    ${ready ? notice('good', 'All systems operational', 'The API and search are available.') : notice('bad', 'Service unavailable', UNAVAILABLE)}
    ${factList([
      ['Version', version],
      ['Checked', formatMoment(now)],
      ['Health checks', healthLinks],
      ['Data', registers === undefined ? UNKNOWN : summarizeData(registers, now)],
    ])}
    <h2 id="history">Last 90 days</h2>
    ${days === undefined ? html`<p>${UNKNOWN}</p>` : history(days)}
    <h2 id="incidents">Incidents</h2>
    <p><a href="/status.atom">Subscribe to the feed</a> (Atom)</p>
    ${incidents.length === 0 && html`<p class="empty">None reported.</p>`}
    ${incidents.slice(0, SHOWN).map(
      ({ at, title, text }) => html`<section id="${anchorOf(at)}"><h3>${showText(title)}</h3>
      <p class="quiet"><time datetime="${at}">${formatMoment(Date.parse(at))}</time></p>
      ${text.split(/\n\s*\n/).map((paragraph) => html`<p>${showText(paragraph)}</p>`)}</section>`,
    )}`;
    return sendPage(reply, layout('Status', content, { section: '/status', visitor }));
  });

  app.get('/status.atom', async (_request, reply) => {
    const address = `${publicUrl()}/status`;
    const entries = (await statusHistory.listIncidents()).slice(0, SHOWN).map(({ at, title, text }) => {
      return { id: `${address}#${anchorOf(at)}`, title, updated: at, address: `${address}#${anchorOf(at)}`, text };
    });
    const feed = atomFeed({ id: address, title: 'Firmament: incidents', created: 0, address, entries });
    return reply.header('cache-control', 'public, max-age=60').type(ATOM).send(feed);
  });
}

const SHOWN = 20;

const UNAVAILABLE =
  'A database or the search index is not available. Requests fail with 503 until it is back: check again shortly.';
const UNKNOWN = html`<span class="empty">Unknown: the database does not answer.</span>`;

const healthLinks = html`<a href="/api/v1/health/ready"><code>/api/v1/health/ready</code></a>,
  <a href="/api/v1/health/live"><code>/api/v1/health/live</code></a>`;

function anchorOf(at: string): string {
  return at.slice(0, 16).replace(':', '');
}

/** Counts registers by how current they are. The coverage page lists each register. */
function summarizeData(registers: readonly RegisterState[], now: number): Html {
  const filled = registers.filter(({ entities }) => entities > 0);
  const count = (wanted: Freshness) => filled.filter((each) => !each.synthetic && each.freshness === wanted).length;
  const samples = filled.filter(({ synthetic }) => synthetic).length;
  const counts = {
    'up to date': count('fresh'),
    due: count('due'),
    overdue: count('overdue'),
    'with sample data': samples,
  };
  const shown = Object.entries(counts).flatMap(([text, number]) =>
    number > 0 ? `${formatCount(number)} ${text}` : [],
  );
  const latest = Math.max(...filled.map(({ importedAt }) => importedAt ?? 0));
  return html`${formatAmount(filled.length, 'register')}${shown.length > 0 && `: ${shown.join(', ')}`}.
    ${filled.length > 0 && `Last import: ${formatAge(now - latest)}.`} <a href="/coverage">All registers</a>`;
}

/** A chart with one bar per day, and a table with the numbers. On a day without a check, no server was running, so its state is unknown. */
function history(days: readonly StatusDay[]): Html {
  const known = days.filter(({ checks, imports }) => checks + imports > 0);
  const sum = (name: 'starts' | 'checks' | 'ready' | 'imports') => days.reduce((total, day) => total + day[name], 0);
  const ready = sum('checks') === 0 ? 'not checked yet' : `ready in ${formatShare(sum('ready'), sum('checks'))}`;
  const text = `${ready}, ${formatAmount(sum('starts'), 'start')}, ${formatAmount(sum('imports'), 'import')}`;
  const bars = days.map(({ date, checks, ready: own }, index) => {
    const kind = checks === 0 ? 'none' : own === checks ? 'good' : own >= 0.99 * checks ? 'warn' : 'bad';
    const title = `${formatDate(date)}: ${checks === 0 ? 'not checked' : `ready in ${formatShare(own, checks)}`}`;
    return html`<rect class="${kind}" x="${index * 10}" width="7" height="34" rx="2"><title>${title}</title></rect>`;
  });
  return html`<svg class="days" viewBox="0 0 897 34" preserveAspectRatio="none" role="img" aria-label="Each day: ${text}">${bars}</svg>
    <p class="ends quiet"><span>${formatDate(days[0]?.date ?? '')}</span> <span>Today</span></p>
    <p class="quiet">Each server checks itself once per minute: ${text}.</p>
    ${known.length > 0 && html`<details><summary>Day by day</summary>${stackTable('Day by day', known.toReversed(), DAY_COLUMNS)}</details>`}`;
}

/** Formats a share of checks. A share below 100 % is never rounded up to 100 %. */
function formatShare(part: number, whole: number): string {
  return part === whole ? '100 % of checks' : `${Math.floor((1_000 * part) / whole) / 10} % of checks`;
}

const DAY_COLUMNS: readonly Column<StatusDay>[] = [
  { label: 'Day', kind: 'keep', show: ({ date }) => formatDate(date) },
  { label: 'Ready', show: ({ ready, checks }) => (checks === 0 ? 'not checked' : formatShare(ready, checks)) },
  { label: 'Starts', kind: 'number', show: ({ starts }) => formatCount(starts) },
  { label: 'Imports', kind: 'number', show: ({ imports }) => formatCount(imports) },
  { label: 'Changed records', kind: 'number', show: ({ changes }) => formatCount(changes) },
  { label: 'Overdue registers', kind: 'number', show: ({ overdue }) => formatCount(overdue) },
];
