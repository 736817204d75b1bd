import { type Html, html } from '../../base/html.ts';
import { isPaid } from '../../base/plans.ts';
import type { OfferedExport } from '../../exports/offered.ts';
import type { WebhookEndpoint } from '../../watch/webhooks/endpoints.ts';
import { type BillingView, billingSection, type CheckoutState, checkoutNotice } from '../parts/account/plans.ts';
import {
  type CreatedSecret,
  createdNotice,
  keyTexts,
  linkTexts,
  type SecretsView,
  secretsSection,
} from '../parts/account/secrets-section.ts';
import { type UsageView, usageSection, usageWarning } from '../parts/account/usage-section.ts';
import { type Column, codeBlock, notice, stackTable } from '../parts/blocks.ts';
import { layout, type Visitor } from '../parts/layout.ts';
import { formatAmount, formatCount, formatMoment, formatSize } from '../text/formatting.ts';
import { webhooksSection, webhookWarning } from './webhooks.ts';

export interface DashboardView extends UsageView, SecretsView, BillingView {
  readonly visitor: Visitor;
  readonly publicUrl: string;
  /** Undefined if they cannot be read at the moment. */
  readonly exports: readonly OfferedExport[] | undefined;
  /** Whether the visitor can run commands on this server, as in the demo. */
  readonly isOperator: boolean;
  readonly endpoints: readonly WebhookEndpoint[];
  readonly checkout?: CheckoutState | undefined;
  readonly created?: CreatedSecret | undefined;
  readonly done?: Html | undefined;
  readonly problem?: string | undefined;
}

/** How often the page reloads while a payment is being confirmed. */
const REFRESH_SECONDS = 3;

export function dashboardPage(view: DashboardView): Html {
  const { visitor, plan, checkout, created, done, problem, publicUrl } = view;
  const isWaiting = checkout === 'waiting';
  return layout(
    'Dashboard',
    html`<h1>Dashboard</h1>
    <p class="lead">${visitor !== 'anonymous' && html`<bdi>${visitor.name}</bdi> · `}${plan.name} plan</p>
    <div id="dashboard"${isWaiting && html` data-waiting`}>
      ${checkout !== undefined && checkoutNotice(checkout, plan)}
      ${done}
      ${problem !== undefined && notice('bad', 'Request failed', problem)}
      ${created !== undefined && createdNotice(created, publicUrl)}
      ${usageWarning(view)}
      ${webhookWarning(view.endpoints)}
      <div class="cards">${usageSection(view)}${secretsSection(keyTexts, view)}${secretsSection(linkTexts, view)}
        ${webhooksSection(view.endpoints)}${exportsSection(view)}${billingSection(view)}</div>
    </div>`,
    {
      section: '/dashboard',
      visitor,
      scripts: ['copy.js', 'once.js', 'dashboard.js', 'waiting.js'],
      ...(isWaiting && { refreshSeconds: REFRESH_SECONDS }),
    },
  );
}

function exportsSection(view: DashboardView): Html {
  return html`<section class="card wide" aria-labelledby="exports-title" id="exports">
    <h2 id="exports-title">Exports</h2>
    ${describeExports(view)}
  </section>`;
}

function describeExports({ plan, publicUrl, exports, isOperator }: DashboardView): Html {
  if (!isPaid(plan)) {
    return html`<p>With a paid plan you can download all companies as Parquet, NDJSON or CSV files: <a href="#billing">see the plans</a>.</p>`;
  }
  if (exports === undefined) return html`<p class="empty">Exports cannot be listed at the moment.</p>`;
  if (exports.length === 0) {
    return html`<p class="empty">No exports yet.${isOperator && html` To make one, run <code>npx firmament export</code>.`}</p>`;
  }
  // As `sha256sum` writes them.
  const checksums = exports.map(
    ({ generation, format, files }) =>
      `${files.get(`${format}/manifest.json`)?.sha256}  ${generation}/${format}/manifest.json`,
  );
  return html`<p>All companies as files, each export from one moment. <a href="/docs/exports">Working with exports</a> explains how to
    download them with an API key.</p>
    ${stackTable('Exports', exports, EXPORT_COLUMNS)}
    ${exports.map(fileList)}
    ${duckdbExample(exports, publicUrl)}
    <details><summary>Checksums of the manifests</summary>
      <p>Each manifest has the SHA-256 of all its files.</p>
      ${codeBlock('SHA-256', checksums.join('\n'))}
    </details>`;
}

const NAMES: Readonly<Record<OfferedExport['format'], string>> = {
  parquet: 'Parquet',
  ndjson: 'NDJSON',
  csv: 'CSV',
  'parties-parquet': 'Parties as Parquet',
  'parties-ndjson': 'Parties as NDJSON',
  'parties-csv': 'Parties as CSV',
  bods: 'Parties as BODS',
};

const EXPORT_COLUMNS: readonly Column<OfferedExport>[] = [
  { label: 'Format', show: ({ format }) => NAMES[format] },
  { label: 'Generation', show: ({ generation }) => generation },
  { label: 'Made', show: ({ manifest }) => formatMoment(Date.parse(manifest.createdAt)) },
  { label: 'Rows', show: ({ manifest }) => formatCount(manifest.rows) },
  {
    label: 'Size',
    kind: 'keep',
    show: ({ manifest }) => formatSize(manifest.files.reduce((sum, { bytes }) => sum + bytes, 0)),
  },
  { label: 'Files', show: ({ manifest }) => formatCount(manifest.files.length) },
  { label: 'Countries', show: ({ manifest }) => describeCountries(manifest.files.map(({ country }) => country)) },
];

/** Each download of a file costs one request, as in the API. */
function fileList({ generation, format, files }: OfferedExport): Html {
  return html`<details class="fold"><summary>Download ${NAMES[format]}, generation ${generation}</summary>
    <p class="hint">Each file uses one request.</p>
    <ul class="names">${[...files.values()].map(
      ({
        path,
        bytes,
      }) => html`<li><a href="/dashboard/exports/${generation}/${encodeURI(path)}">${path.replace(`${format}/`, '')}</a>
      <span class="quiet">${formatSize(bytes)}</span></li>`,
    )}</ul></details>`;
}

const MAX_NAMED = 5;

function describeCountries(countries: readonly string[]): string {
  const codes = [...new Set(countries)].sort();
  return codes.length > MAX_NAMED ? formatAmount(codes.length, 'country', 'countries') : codes.join(', ');
}

function duckdbExample(exports: readonly OfferedExport[], publicUrl: string): Html | false {
  const newest = exports.find(({ format }) => format === 'parquet');
  const [file] = newest?.manifest.files ?? [];
  if (newest === undefined || file === undefined) return false;
  const address = `${publicUrl}/api/v1/exports/${newest.generation}/parquet/${file.path}`;
  return codeBlock(
    'Query with DuckDB',
    `CREATE SECRET firmament (TYPE http, BEARER_TOKEN 'YOUR_API_KEY', SCOPE '${publicUrl}/');\nSELECT count(*) FROM read_parquet('${address}');`,
  );
}
