import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { SignedIn } from '../../accounts/accounts.ts';
import type { Clock } from '../../core/clock.ts';
import { statusOf } from '../../core/errors.ts';
import { portalCaller } from '../../core/usage.ts';
import { charge } from '../../metering/charge.ts';
import type { Meter } from '../../metering/meter.ts';
import type { Choices } from '../../search/choices.ts';
import { type GivenParameters, readSearchQuery } from '../../search/parameters.ts';
import type { Search, SearchQuery } from '../../search/search.ts';
import { findPage } from '../find-page.ts';
import { explorePage, type Outcome } from '../pages/explore.ts';
import { limitNotice } from '../parts/limit-notices.ts';
import { describeMistake, type Preview } from '../preview.ts';
import { sendPage } from '../send-page.ts';
import { describeVisitor, findSignedIn, type VisitorServices } from '../visitor.ts';

/** The search page: a preview for visitors, all results for signed-in users, who are charged as by the API. */
export interface ExploreServices extends VisitorServices {
  readonly publicUrl: () => string;
  readonly search: Pick<Search, 'find' | 'listChoices' | 'isReady'>;
  readonly meter: Pick<Meter, 'take' | 'refund'>;
  readonly clock: Clock;
  readonly preview: Preview;
}

export function registerExplore(app: FastifyInstance, services: ExploreServices): void {
  const { publicUrl, search, meter, clock, preview } = services;

  async function runSearch(request: FastifyRequest, given: GivenParameters, signedIn?: SignedIn): Promise<Outcome> {
    if (Object.keys(given).length === 0) return { kind: 'none' };
    if (signedIn === undefined) return preview(request.address, given);
    const charged = await charge(meter, portalCaller(signedIn.account), {
      read: () => readSearchQuery(given),
      work: (query) => findPage(search, query),
    });
    if (charged.outcome === 'served') {
      return { kind: 'found', page: charged.answer, left: charged.limits.quota.remaining };
    }
    const notice = limitNotice(charged, signedIn.account.plan, clock.now());
    return { kind: 'refused', code: charged.code, notice };
  }

  app.get('/explore', async (request, reply) => {
    const given = readGiven(request.query);
    const signedIn = await findSignedIn(request, services);
    // Read before the search, so that a failure here is not charged.
    const choices = await listChoices(search);
    const outcome = await runSearch(request, given, signedIn).catch(describeMistake);
    if (outcome.kind === 'refused') reply.code(statusOf(outcome.code));
    const query = readValidParameters(given);
    const visitor = describeVisitor(signedIn);
    return sendPage(reply, explorePage({ visitor, publicUrl: publicUrl(), query, choices, outcome }));
  });
}

const PARAMETERS = ['q', 'country', 'register', 'status', 'legalForm', 'activity', 'activityType', 'page', 'pageSize'];

/**
 * Drops fields that the form left empty, except `q`: an empty `q` searches everything. Ignores unknown parameters, such
 * as `utm_source`.
 */
function readGiven(query: unknown): GivenParameters {
  const values = query as Readonly<Record<string, string | string[] | undefined>>;
  const given: Record<string, string> = {};
  for (const name of PARAMETERS) {
    const value = [values[name]].flat().at(-1);
    if (value !== undefined && (value !== '' || name === 'q')) given[name] = value;
  }
  return given;
}

/** Drops invalid parameters, so that the form keeps the valid ones. */
function readValidParameters(given: GivenParameters): SearchQuery {
  const readable = Object.entries(given).filter(([name, value]) => {
    try {
      return readSearchQuery({ [name]: value });
    } catch {
      return false;
    }
  });
  return readSearchQuery(Object.fromEntries(readable));
}

/** Shows the page without filter values if counting them takes too long. */
async function listChoices(search: Pick<Search, 'listChoices' | 'isReady'>): Promise<Choices> {
  if (!search.isReady()) return NO_CHOICES;
  const counted = search.listChoices();
  const timeout = new AbortController();
  return Promise.race([
    counted.finally(() => timeout.abort()),
    sleep(FILTER_TIMEOUT_MS, NO_CHOICES, { signal: timeout.signal }).catch(() => counted),
  ]);
}

const NO_CHOICES: Choices = { entities: 0, countries: [] };
const FILTER_TIMEOUT_MS = 1_500;
