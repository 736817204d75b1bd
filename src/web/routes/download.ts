import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../core/clock.ts';
import { startDeadline, within } from '../../core/deadline.ts';
import { fail, statusOf } from '../../core/errors.ts';
import type { Site } from '../../core/site.ts';
import { portalCaller } from '../../core/usage.ts';
import { chargeUnits } from '../../metering/charge-units.ts';
import type { Meter } from '../../metering/meter.ts';
import { readSearchQuery } from '../../search/parameters.ts';
import type { Search } from '../../search/search.ts';
import { type Fields, registerForms } from '../forms.ts';
import { downloadRefusedPage } from '../pages/download-refused.ts';
import { countUnits, MAX_UNITS, writeResultFile } from '../result-file.ts';
import { sendPage } from '../send-page.ts';
import { exploreAddress } from '../text/search-address.ts';
import { describeVisitor, findSignedIn, sendToSignIn, type VisitorServices } from '../visitor.ts';

/** The results of a search as a file. A form, because it costs several requests: no link of another site can open it. */
export interface DownloadServices extends VisitorServices {
  readonly site: Site;
  readonly search: Pick<Search, 'find'>;
  readonly meter: Pick<Meter, 'takeUnits' | 'refund'>;
  readonly clock: Clock;
}

export function registerDownload(app: FastifyInstance, services: DownloadServices): void {
  const { search, meter, clock } = services;
  registerForms(app, services.site, (scope) => {
    scope.post<{ Body: Fields | undefined }>('/explore/download', async (request, reply) => {
      const deadline = startDeadline();
      const { units: agreed, ...fields } = request.body ?? {};
      const given = Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined);
      const query = readSearchQuery(Object.fromEntries(given));
      const units = readUnits(agreed);
      const signedIn = await within(deadline, findSignedIn(request, services), 'the lookup of the session');
      if (signedIn === undefined) return sendToSignIn(reply, exploreAddress(query));
      const { account } = signedIn;
      const charged = await chargeUnits(meter, portalCaller(account), {
        units,
        deadline,
        work: async () => {
          const file = await writeResultFile(search, query, { units, account: account.accountId, deadline });
          return { answer: file.text, units: countUnits(file.rows) };
        },
      });
      if (charged.outcome === 'denied') {
        const view = { visitor: describeVisitor(signedIn), query, units, denial: charged, account, now: clock.now() };
        return sendPage(reply.code(statusOf(charged.code)), downloadRefusedPage(view));
      }
      return reply
        .type('text/csv; charset=utf-8; header=present')
        .header('Content-Disposition', 'attachment; filename="companies.csv"')
        .send(charged.answer);
    });
  });
}

/** The number of requests that the button named, so that a file never costs more than the user agreed to. */
function readUnits(agreed: string | undefined): number {
  const units = /^\d{1,2}$/.test(agreed ?? '') ? Number(agreed) : 0;
  if (units < 1 || units > MAX_UNITS)
    throw fail('invalid_request', {
      message: `The download must cost 1 to ${MAX_UNITS} requests: start it from the results.`,
    });
  return units;
}
