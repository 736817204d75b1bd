import type { FileHandle } from 'node:fs/promises';
import type { PricedOperation } from '../../accounts/charging/operation.ts';
import { fail } from '../../base/errors.ts';
import { type Html, html } from '../../base/html.ts';
import { isPaid, type Plan } from '../../base/plans.ts';
import { createSlots } from '../../base/requests/slots.ts';
import { formatSize } from '../../base/terminal/progress.ts';
import type { OfferedExport, OfferedFile } from '../../exports/offered.ts';
import type { AccountPages, AccountRequest } from '../account.ts';
import { type Column, codeBlock, stackTable } from '../parts/blocks.ts';
import type { PageServices } from '../services.ts';
import { formatAmount, formatCount, formatMoment } from '../text/formatting.ts';
import { classifyNavigation, describeVisitor, startCharge } from '../visitor.ts';
import { sendConfirmation, sendFile } from './messages.ts';

type Wanted = Pick<AccountRequest['params'], 'generation' | '*'>;

/** A file of an export. `opened` is undefined if the file is at another address, to which the browser is redirected. */
interface Found {
  readonly file: OfferedFile;
  readonly opened: FileHandle | undefined;
}

/** The number of simultaneous downloads per account and serving thread: a browser needs no more, and programs use the API. */
const DOWNLOADS_PER_ACCOUNT = 2;

/** Files of exports for the signed-in user: whole files only. Programs use the API, which also has ranges. */
export function registerExportDownload(services: PageServices, pages: AccountPages): void {
  const { exports, site } = services;
  const slots = createSlots({
    perAccount: DOWNLOADS_PER_ACCOUNT,
    inTotal: Number.POSITIVE_INFINITY,
    guaranteedMs: Number.POSITIVE_INFINITY,
  });

  const operation: PricedOperation<Wanted, Wanted, Found> = {
    plan: 'paid',
    price: 'unit',
    read: (wanted) => wanted,
    async answer({ generation, '*': path }) {
      const offered = (await exports.list()).filter((each) => String(each.generation) === generation);
      const file = offered.flatMap(({ files }) => files.get(path) ?? [])[0];
      if (file === undefined) throw fail('export_not_found');
      return { file, opened: exports.baseUrl === undefined ? await exports.openFile(file) : undefined };
    },
  };

  pages.get('/dashboard/exports/:generation/*', async (request, reply, signedIn) => {
    const visitor = describeVisitor(signedIn);
    const navigation = classifyNavigation(request, site);
    if (navigation !== 'own') return sendConfirmation(request, reply, { visitor, navigation });
    const { account } = signedIn;
    const release = slots.take(account.accountId, () => reply.raw.destroy());
    reply.raw.once('close', release);
    const open = ({ file, opened }: Found) => {
      if (opened === undefined) return void reply.redirect(`${exports.baseUrl}/${file.generation}/${file.path}`);
      const name = file.path.replace('/entities/country=', '/').replaceAll('/', '-');
      reply.header('Content-Disposition', `attachment; filename="firmament-${file.generation}-${name}"`);
      reply.header('Content-Length', file.bytes).type('application/octet-stream');
      const body = opened.createReadStream();
      const delivered = new Promise<number>((resolve) => {
        body.once('error', () => resolve(0));
        body.once('close', () => resolve(1));
      });
      return { body, delivered };
    };
    return sendFile(services, [operation, startCharge(account, request.params)], reply, signedIn, open);
  });
}

/** Exports are undefined if they cannot be read at the moment. Operators, as in the demo, can run commands on this server. */
export function describeExports(
  plan: Plan,
  publicUrl: string,
  exports: readonly OfferedExport[] | undefined,
  isOperator: boolean,
): Html {
  if (!isPaid(plan)) {
    return html`<p>With a paid plan you can download all companies as Parquet, NDJSON or CSV files: <a href="#billing">see the plans</a>.</p>`;
  }
  if (exports === undefined) return html`<p class="empty">Exports cannot be listed at the moment.</p>`;
  if (exports.length === 0) {
    return html`<p class="empty">No exports yet.${isOperator && html` To make one, run <code>npx firmament export</code>.`}</p>`;
  }
  // The checksums have the format of `sha256sum`.
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

const MAX_NAMED = 5;
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
  {
    label: 'Countries',
    show({ manifest }) {
      const codes = [...new Set(manifest.files.map(({ country }) => country))].sort();
      return codes.length > MAX_NAMED ? formatAmount(codes.length, 'country', 'countries') : codes.join(', ');
    },
  },
];

/** Each download of a file costs one request, as in the API. */
function fileList({ generation, format, files }: OfferedExport): Html {
  const items = Array.from(files.values(), ({ path, bytes }) => {
    const address = `/dashboard/exports/${generation}/${encodeURI(path)}`;
    return html`<li><a href="${address}">${path.replace(`${format}/`, '')}</a> <span class="quiet">${formatSize(bytes)}</span></li>`;
  });
  return html`<details class="fold"><summary>Download ${NAMES[format]}, generation ${generation}</summary>
    <p class="hint">Each file uses one request.</p><ul class="names">${items}</ul></details>`;
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
