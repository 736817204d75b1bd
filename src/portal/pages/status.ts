import type { Routes } from '../../http/app.ts';
import type { RegisterState } from '../../registry/registry.ts';
import { type Html, html } from '../html.ts';
import { factList, notice, stackTable } from '../parts/blocks.ts';
import { describeDates, freshness } from '../parts/freshness.ts';
import { layout, type Visitor } from '../parts/layout.ts';
import { sendPage } from '../send-page.ts';
import type { PageServices } from '../services.ts';
import { formatCount, formatMoment, nameCountry } from '../text/formatting.ts';
import { findVisitor } from '../visitor.ts';

/** Whether the service is up, and how current its data is. */
export function registerStatus(app: Routes, services: PageServices): void {
  const { version, registry, clock, isReady, isPrepared } = services;

  // Must work while the database is down, so every read may fail.
  app.get('/status', async (request, reply) => {
    const ready = await isReady();
    const now = clock.now();
    const registers = isPrepared() ? await registry.listRegisters(now).catch(() => undefined) : undefined;
    const visitor = await findVisitor(request, services);
    return sendPage(reply, statusPage({ visitor, version, isReady: ready, registers, now }));
  });
}

interface StatusView {
  readonly visitor: Visitor;
  readonly version: string;
  readonly isReady: boolean;
  /** Undefined if the database does not answer. */
  readonly registers: readonly RegisterState[] | undefined;
  readonly now: number;
}

function statusPage({ visitor, version, isReady, registers, now }: StatusView): Html {
  return layout(
    'Status',
    html`<h1>Status</h1>
    ${
      isReady
        ? notice('good', 'All systems operational', 'The API and search are available.')
        : notice(
            'bad',
            'Service unavailable',
            'A database or the search index is not available. Requests fail with 503 until it is back: check again shortly.',
          )
    }
    ${factList([
      ['Version', version],
      ['Checked', formatMoment(now)],
      ['Health checks', healthLinks],
    ])}
    <h2>Data</h2>
    ${registers === undefined ? html`<p class="empty">Unknown: the database does not answer.</p>` : dataTable(registers, now)}`,
    { section: '/status', visitor },
  );
}

const healthLinks = html`<a href="/api/v1/health/ready"><code>/api/v1/health/ready</code></a>,
  <a href="/api/v1/health/live"><code>/api/v1/health/live</code></a>`;

function dataTable(registers: readonly RegisterState[], now: number): Html {
  const sorted = registers.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
  return stackTable('Data by register', sorted, [
    { label: 'Register', show: (state) => `${placeOf(state)} · ${state.register.name}` },
    { label: 'Companies', kind: 'number', show: ({ entities }) => formatCount(entities) },
    { label: 'Data as of', kind: 'keep', show: (state) => describeDates(state, now).asOf },
    { label: 'Last check', kind: 'keep', show: (state) => describeDates(state, now).checked },
    { label: 'Imported', kind: 'keep', show: (state) => describeDates(state, now).imported },
    { label: 'Freshness', show: freshness },
  ]);
}

function placeOf({ register: { country } }: RegisterState): string {
  return country === null ? 'All countries' : nameCountry(country);
}
