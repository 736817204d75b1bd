import type { ServerResponse } from 'node:http';
import type { QuotedOperation } from '../../accounts/charging/operation.ts';
import { fail } from '../../base/errors.ts';
import { fold } from '../../base/fold.ts';
import { html } from '../../base/html.ts';
import type { Plan } from '../../base/plans.ts';
import type { Fields } from '../../base/requests/form-fields.ts';
import { findLastPage } from '../../base/requests/same-origin.ts';
import { startDeadline } from '../../base/system/deadline.ts';
import {
  contentTypes,
  countUnits,
  maxRowsOf,
  type ResultFile,
  ROWS_PER_UNIT,
} from '../../exports/results/result-files.ts';
import { readSearchQuery } from '../../search/parameters.ts';
import type { SearchQuery } from '../../search/search.ts';
import type { AccountPages, Handler } from '../account.ts';
import type { PageServices } from '../services.ts';
import { exploreAddress } from '../text/search-address.ts';
import { startCharge } from '../visitor.ts';
import { sendFile } from './messages.ts';

interface Download {
  readonly response: ServerResponse;
  readonly fields: Fields;
  readonly plan: Plan;
}

/** The results of a search as a file. A form starts the download, which costs several requests, so that no link of another site can do so. */
export function registerDownload(services: PageServices, pages: AccountPages): void {
  const { resultFiles, clock, site } = services;

  const operation: QuotedOperation<Download, { query: SearchQuery; maxRows: number }, ResultFile> = {
    price: 'quoted',
    read: ({ fields, plan }) => ({ query: readQuery(fields), maxRows: readUnits(fields.units, plan) * ROWS_PER_UNIT }),
    quote: ({ query, maxRows }, { input: { response }, caller, deadline }, sell) =>
      resultFiles.quote({ caller, query, format: 'csv', deadline, response, maxRows }, sell),
  };

  const download: Handler = async ({ body = {} }, reply, signedIn) => {
    const deadline = startDeadline();
    const query = readQuery(body);
    const { account } = signedIn;
    const exchange = startCharge(account, { response: reply.raw, fields: body, plan: account.plan }, deadline);
    const open = (file: ResultFile) => {
      const { promise, resolve } = Promise.withResolvers<number>();
      reply.type(contentTypes.csv).header('Content-Disposition', nameDownload(query, clock.now()));
      const send = (response: ServerResponse) => resolve(resultFiles.deliver(file, response));
      return { body: send, delivered: promise };
    };
    const hint = html`<a href="${exploreAddress(query)}">Add filters</a> to get a smaller file.`;
    return sendFile(services, [operation, exchange], reply, signedIn, open, hint);
  };
  // Sign-in returns to the search.
  pages.post({ '/explore/download': download }, (request) => findLastPage(request, site) ?? '/explore');
}

function readQuery({ units: _, ...fields }: Fields): SearchQuery {
  const given = Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined);
  return readSearchQuery(Object.fromEntries(given));
}

/** Parses the number of requests on the button, so that a file never costs more than the user agreed to. */
function readUnits(agreed: string | undefined, plan: Plan): number {
  const units = /^\d{1,9}$/.test(agreed ?? '') ? Number(agreed) : 0;
  const maxRows = maxRowsOf(plan);
  if (units >= 1 && units <= countUnits(maxRows)) return units;
  const most = Number.isFinite(maxRows) ? `1 to ${countUnits(maxRows)} requests` : 'at least 1 request';
  throw fail('invalid_request', { message: `The download must cost ${most}: start it from the results.` });
}

/**
 * The `Content-Disposition` of a downloaded result: `companies-holdings-gb-2026-11-17.csv`, named after the search and the day (UTC).
 * Browsers use the second form, which may contain any letters; the first form is for programs that support only ASCII (RFC 6266).
 */
export function nameDownload(query: SearchQuery, now: number): string {
  const { words, q, country, register, status, legalForm, activity } = query;
  const text = fold([words, q, country, register, status, legalForm, activity].join(' ').toWellFormed());
  const parts = ['companies', ...(text.match(/[\p{L}\p{N}]+/gu) ?? [])];
  const day = new Date(now).toISOString().slice(0, 10);
  const name = [...parts.join('-')].slice(0, MAX_LENGTH).join('');
  const ascii = name.replace(/[^a-z0-9-]+/g, '').replace(/-+$/, '');
  return `attachment; filename="${ascii}-${day}.csv"; filename*=UTF-8''${encodeURIComponent(`${name}-${day}.csv`)}`;
}

const MAX_LENGTH = 80;
