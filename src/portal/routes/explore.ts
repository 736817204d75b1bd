import { setTimeout as sleep } from 'node:timers/promises';
import type { PricedOperation } from '../../accounts/charging/operation.ts';
import { type ErrorCode, statusOf } from '../../base/errors.ts';
import { type Deadline, millisecondsLeft, startDeadline } from '../../base/system/deadline.ts';
import type { Routes } from '../../http/app.ts';
import type { HttpReply } from '../../http/reply.ts';
import type { HttpRequest } from '../../http/request.ts';
import type { Choices } from '../../search/choices.ts';
import { type GivenParameters, readSearchQuery, SearchParameters } from '../../search/parameters.ts';
import type { Search, SearchQuery } from '../../search/search.ts';
import { findAlternatives, findMeant } from '../alternatives.ts';
import { addFormerNames, findPage, PAGE_MS } from '../found-page.ts';
import type { Html } from '../html.ts';
import { createKeptPages } from '../kept-pages.ts';
import { classifyNavigation, sendConfirmation } from '../navigation.ts';
import { type ExploreOutcome, type ExploreView, explorePage } from '../pages/explore.ts';
import { limitNotice } from '../parts/search/limit-notices.ts';
import { createSuggest, describeMistake, type Preview, VISITORS } from '../preview.ts';
import { keepForBack, sendPage } from '../send-page.ts';
import type { PageServices } from '../services.ts';
import { exploreAddress } from '../text/search-address.ts';
import { describeVisitor, findSignedIn, SESSION, startCharge } from '../visitor.ts';

/**
 * The search page: all results for signed-in users, who are charged as by the API; a preview for visitors, and for
 * searches that another site opened. While a user types, the page asks for suggestions, which are limited by rate instead of being
 * charged and show the first results only.
 */
export function registerExplore(app: Routes, services: PageServices, preview: Preview): void {
  const { publicUrl, search, matcher, registry, executor, clock } = services;
  const suggest = createSuggest(services);
  const kept = createKeptPages();

  /** What a page shows beside its results. The counts are left out if they would delay the page. */
  async function findMore(
    outcome: ExploreOutcome,
    query: SearchQuery,
    account: string,
    deadline: Deadline,
  ): Promise<More> {
    if (!('page' in outcome)) return {};
    const { page } = outcome;
    const facets = await search.countFacets(query, account, deadline - PAGE_MS).catch(() => undefined);
    const meant = await findMeant(matcher, query, page, account, deadline);
    if (page.meta.total > 0) return { facets, meant };
    return { facets, meant, alternatives: await findAlternatives(search, query, account, deadline) };
  }

  /** The page is rendered before the charge is final, so a failure costs nothing. */
  const searching: PricedOperation<{ readonly given: GivenParameters; readonly render: Render }, SearchQuery, Html> = {
    needs: SESSION,
    price: 'unit',
    read: ({ given }) => readSearchQuery(given),
    async answer(query, { input: { render }, caller: { accountId, plan }, deadline, limits }) {
      const found = await findPage(search, query, accountId, deadline);
      const page = await addFormerNames(registry, found, deadline);
      const outcome = { kind: 'found', page, left: limits.quota.remaining, plan } as const;
      return render(outcome, await findMore(outcome, query, accountId, deadline));
    },
  };

  /** What both addresses start with: who asks for what, and how it is shown. */
  async function begin(request: HttpRequest, fixed: Partial<SearchQuery> = {}) {
    const deadline = startDeadline();
    const given = readGiven(request.query);
    const signedIn = await findSignedIn(request, services, deadline);
    const visitor = describeVisitor(signedIn);
    const choices = await listChoices(search, deadline);
    const query = { ...readValidParameters(given), ...fixed };
    const render: Render = (outcome, more) =>
      explorePage({ visitor, publicUrl: publicUrl(), query, choices, outcome, ...more });
    return { deadline, given, signedIn, visitor, choices, query, render };
  }

  app.get('/explore', async (request, reply) => {
    const { deadline, given, signedIn, visitor, choices, query, render } = await begin(request);
    const navigation = signedIn === undefined ? 'own' : classifyNavigation(request, services.site);
    const isEmpty = Object.keys(given).length === 0;
    if (navigation === 'speculative' && !isEmpty) return sendConfirmation(request, reply, { visitor, navigation });

    function showForm(): Html | Buffer {
      const renderForm = () => render({ kind: 'none' });
      return signedIn === undefined ? kept.find('/explore', choices, renderForm) : renderForm();
    }

    async function answer(): Promise<Shown> {
      if (isEmpty) return { page: showForm() };
      if (signedIn !== undefined && navigation === 'own') {
        const reply = await executor.perform(searching, startCharge(signedIn.account, { given, render }, deadline));
        if (reply.outcome === 'failed') throw reply.error;
        if (reply.outcome === 'answered') return { page: reply.answer };
        return show(render, { kind: 'refused', code: reply.code, notice: limitNotice(reply, clock.now()) });
      }
      const outcome = await preview(request.network, given, deadline);
      return show(render, outcome, await findMore(outcome, query, VISITORS, deadline));
    }
    const shown = await answer().catch((error) => show(render, describeMistake(error)));
    if (signedIn !== undefined && !isEmpty && shown.code === undefined) keepForBack(reply);
    return sendShown(reply, shown);
  });

  app.get('/explore/suggest', async (request, reply) => {
    const { deadline, given, signedIn, query, render } = await begin(request, { page: 1 });

    async function answer(): Promise<ExploreOutcome> {
      if (exploreAddress(query) === EVERYTHING) return { kind: 'none' };
      if (signedIn === undefined) return preview(request.network, given, deadline);
      const suggested = await suggest(signedIn.account.accountId, given, deadline);
      return suggested.kind === 'preview' ? { ...suggested, kind: 'suggested' } : suggested;
    }
    const outcome = await answer().catch(describeMistake);
    const account = signedIn?.account.accountId ?? VISITORS;
    return sendShown(reply, show(render, outcome, await findMore(outcome, query, account, deadline)));
  });
}

/** The address of a search without text and filters, which is what an empty form sends. */
const EVERYTHING = '/explore?q=';

function sendShown(reply: HttpReply, { page, code }: Shown): HttpReply {
  return sendPage(code === undefined ? reply : reply.code(statusOf(code)), page);
}

type More = Pick<ExploreView, 'facets' | 'meant' | 'alternatives'>;
type Render = (outcome: ExploreOutcome, more?: More) => Html;

interface Shown {
  readonly page: Html | Buffer;
  readonly code?: ErrorCode;
}

function show(render: Render, outcome: ExploreOutcome, more?: More): Shown {
  return { page: render(outcome, more), ...(outcome.kind === 'refused' && { code: outcome.code }) };
}

const PARAMETERS = Object.keys(SearchParameters.properties);

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

/** Shows the page without filter values if counting them would leave too little time for the search. */
async function listChoices(search: Pick<Search, 'listChoices' | 'isReady'>, deadline: Deadline): Promise<Choices> {
  if (!search.isReady()) return NO_CHOICES;
  const counted = search.listChoices();
  const timeout = new AbortController();
  return Promise.race([
    counted.finally(() => timeout.abort()),
    sleep(millisecondsLeft(deadline - PAGE_MS), NO_CHOICES, { signal: timeout.signal }).catch(() => counted),
  ]);
}

const NO_CHOICES: Choices = {
  entities: 0,
  countries: [],
  isic: { codes: new Map(), registers: new Map() },
  withElf: new Map(),
};
