import type { ServerResponse } from 'node:http';
import type { Clock } from '../../core/clock.ts';
import { fail, statusOf } from '../../core/errors.ts';
import type { Plan } from '../../core/plans.ts';
import type { Fields } from '../../core/requests/form-fields.ts';
import { readLastPage } from '../../core/requests/same-origin.ts';
import type { Site } from '../../core/site.ts';
import type { Executor } from '../../operations/execute.ts';
import type { QuotedOperation } from '../../operations/operation.ts';
import { contentTypes } from '../../result-files/formats.ts';
import { countUnits, ROWS_PER_UNIT } from '../../result-files/price.ts';
import type { ResultFile, ResultFiles } from '../../result-files/result-files.ts';
import { readSearchQuery } from '../../search/parameters.ts';
import type { SearchQuery } from '../../search/search.ts';
import { startDeadline } from '../../system/deadline.ts';
import type { Routes } from '../../transport/app.ts';
import { registerAccountForms } from '../forms.ts';
import { downloadRefusedPage } from '../pages/messages.ts';
import { maxRowsOf } from '../parts/search/download-form.ts';
import { sendPage } from '../send-page.ts';
import { nameDownload } from '../text/download-name.ts';
import { describeVisitor, signedInOf, type VisitorServices } from '../visitor.ts';

/** The results of a search as a file. A form, because it costs several requests: no link of another site can open it. */
export interface DownloadServices extends VisitorServices {
  readonly site: Site;
  readonly resultFiles: ResultFiles;
  readonly executor: Pick<Executor, 'execute'>;
  readonly clock: Clock;
}

interface Download {
  readonly response: ServerResponse;
  readonly fields: Fields;
  readonly plan: Plan;
}

interface Given {
  readonly query: SearchQuery;
  readonly maxRows: number;
}

export function registerDownload(app: Routes, services: DownloadServices): void {
  const { resultFiles, executor, clock, site } = services;

  const operation: QuotedOperation<Download, Given, ResultFile> = {
    needs: { credential: 'session', plan: 'any' },
    price: 'quoted',
    read: ({ fields, plan }) => ({ query: readQuery(fields), maxRows: readUnits(fields.units, plan) * ROWS_PER_UNIT }),
    quote: ({ query, maxRows }, { input: { response }, caller, deadline }, sell) =>
      resultFiles.quote({ caller, query, format: 'csv', deadline, response, maxRows }, sell),
  };

  const register = (scope: Routes) => {
    scope.post<{ Body: Fields | undefined }>('/explore/download', async (request, reply) => {
      const deadline = startDeadline();
      const fields = request.body ?? {};
      const query = readQuery(fields);
      const signedIn = signedInOf(request);
      const { account } = signedIn;
      const credential = { kind: 'session', account } as const;
      const exchange = {
        input: { response: reply.raw, fields, plan: account.plan },
        credential,
        deadline,
        caller: null,
      };
      return new Promise((resolve, reject) => {
        executor.execute(operation, exchange, (result) => {
          if (result.outcome === 'failed') return void reject(result.error);
          if (result.outcome === 'denied') {
            const page = downloadRefusedPage(describeVisitor(signedIn), query, result, clock.now());
            return void resolve(sendPage(reply.code(statusOf(result.code)), page));
          }
          const delivery = Promise.withResolvers<number>();
          const deliver = (response: ServerResponse) => delivery.resolve(resultFiles.deliver(result.answer, response));
          reply.type(contentTypes.csv).header('Content-Disposition', nameDownload(query, clock.now()));
          resolve(reply.send(deliver));
          return delivery.promise;
        });
      });
    });
  };
  // Sign-in returns to the search.
  registerAccountForms(app, services, register, { returnTo: (request) => readLastPage(request, site) ?? '/explore' });
}

function readQuery({ units: _, ...fields }: Fields): SearchQuery {
  const given = Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined);
  return readSearchQuery(Object.fromEntries(given));
}

/** The number of requests that the button named, so that a file never costs more than the user agreed to. */
function readUnits(agreed: string | undefined, plan: Plan): number {
  const units = /^\d{1,9}$/.test(agreed ?? '') ? Number(agreed) : 0;
  const maxRows = maxRowsOf(plan);
  if (units >= 1 && units <= countUnits(maxRows)) return units;
  const most = Number.isFinite(maxRows) ? `1 to ${countUnits(maxRows)} requests` : 'at least 1 request';
  throw fail('invalid_request', { message: `The download must cost ${most}: start it from the results.` });
}
