import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../core/clock.ts';
import { startDeadline, within } from '../../core/deadline.ts';
import { fail, statusOf } from '../../core/errors.ts';
import type { Plan } from '../../core/plans.ts';
import type { Site } from '../../core/site.ts';
import { portalCaller } from '../../core/usage.ts';
import { contentTypes } from '../../result-files/formats.ts';
import { countUnits, ROWS_PER_UNIT } from '../../result-files/price.ts';
import type { ResultFiles } from '../../result-files/result-files.ts';
import { readSearchQuery } from '../../search/parameters.ts';
import { type Fields, registerForms } from '../forms.ts';
import { downloadRefusedPage } from '../pages/download-refused.ts';
import { maxRowsOf } from '../parts/download-form.ts';
import { sendPage } from '../send-page.ts';
import { exploreAddress } from '../text/search-address.ts';
import { describeVisitor, findSignedIn, sendToSignIn, type VisitorServices } from '../visitor.ts';

/** The results of a search as a file. A form, because it costs several requests: no link of another site can open it. */
export interface DownloadServices extends VisitorServices {
  readonly site: Site;
  readonly resultFiles: Pick<ResultFiles, 'send'>;
  readonly clock: Clock;
}

export function registerDownload(app: FastifyInstance, services: DownloadServices): void {
  const { resultFiles, clock } = services;
  registerForms(app, services.site, (scope) => {
    scope.post<{ Body: Fields | undefined }>('/explore/download', async (request, reply) => {
      const deadline = startDeadline();
      const { units: agreed, ...fields } = request.body ?? {};
      const given = Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined);
      const query = readSearchQuery(Object.fromEntries(given));
      const signedIn = await within(deadline, findSignedIn(request, services), 'the lookup of the session');
      if (signedIn === undefined) return sendToSignIn(reply, exploreAddress(query));
      const { account } = signedIn;
      const outcome = await resultFiles.send({
        caller: portalCaller(account),
        query,
        format: 'csv',
        deadline,
        response: reply.raw,
        maxRows: readUnits(agreed, account.plan) * ROWS_PER_UNIT,
        begin() {
          reply.type(contentTypes.csv).header('Content-Disposition', 'attachment; filename="companies.csv"').hijack();
          reply.raw.writeHead(200, reply.getHeaders() as Record<string, string>);
        },
      });
      if (outcome.outcome !== 'denied') return reply;
      const { units } = outcome;
      const view = { visitor: describeVisitor(signedIn), query, units, denial: outcome, account, now: clock.now() };
      return sendPage(reply.code(statusOf(outcome.code)), downloadRefusedPage(view));
    });
  });
}

/** The number of requests that the button named, so that a file never costs more than the user agreed to. */
function readUnits(agreed: string | undefined, plan: Plan): number {
  const units = /^\d{1,9}$/.test(agreed ?? '') ? Number(agreed) : 0;
  const maxRows = maxRowsOf(plan);
  if (units >= 1 && units <= countUnits(maxRows)) return units;
  const most = Number.isFinite(maxRows) ? `1 to ${countUnits(maxRows)} requests` : 'at least 1 request';
  throw fail('invalid_request', { message: `The download must cost ${most}: start it from the results.` });
}
