import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { SignedIn } from '../../accounts/accounts.ts';
import type { Clock } from '../../core/clock.ts';
import { writeCsvHeader } from '../../core/csv.ts';
import { Failure, fail, statusOf } from '../../core/errors.ts';
import type { Fields } from '../../core/requests/form-fields.ts';
import type { Site } from '../../core/site.ts';
import { type ListedQuery, type MatchOutcome, matchEach } from '../../matching/batch.ts';
import { createRowReader, describeOutcome, openList, RESULT_COLUMNS, writeRow } from '../../matching/list.ts';
import type { Matcher } from '../../matching/matching.ts';
import type { Meter } from '../../metering/meter.ts';
import type { Executor } from '../../operations/execute.ts';
import type { BatchOperation, Reply } from '../../operations/operation.ts';
import type { Registry } from '../../registry/registry.ts';
import { contentTypes } from '../../result-files/formats.ts';
import { readListedQuery } from '../../search/match-parameters.ts';
import { startDeadline } from '../../system/deadline.ts';
import { registerForms } from '../forms.ts';
import { finishPage, type MatchState, packState, unpackState } from '../match-state.ts';
import { MAX_ROWS, type MatchView, matchPage, ROWS_PER_PAGE, SHOWN_CANDIDATES } from '../pages/match.ts';
import { notice } from '../parts/notice.ts';
import { limitNotice } from '../parts/search/limit-notices.ts';
import { sendPage } from '../send-page.ts';
import { formatCount } from '../text/formatting.ts';
import { describeVisitor, findSignedIn, sendToSignIn, type VisitorServices } from '../visitor.ts';

/**
 * Matching of a pasted list: check it, match and choose page by page or all at once, download. The list and its results travel in the
 * form, packed. Only matching is charged, one request per row.
 */
export interface MatchPageServices extends VisitorServices {
  readonly site: Site;
  readonly matcher: Matcher;
  readonly meter: Pick<Meter, 'readUsage'>;
  readonly registry: Pick<Registry, 'listCountries'>;
  readonly executor: Pick<Executor, 'perform'>;
  readonly clock: Clock;
}

/** 1,000 rows in a script whose letters take nine bytes in a form. */
const MAX_BODY_BYTES = 1024 * 1024;
const WAIT_MS = 20;

interface MatchInput {
  readonly log: FastifyRequest['log'];
  readonly queries: readonly ListedQuery[];
  /** What the button said that it costs. */
  readonly agreed: number;
}

export function registerMatchPage(app: FastifyInstance, services: MatchPageServices): void {
  const { matcher, registry, executor, meter, clock } = services;

  const matching: BatchOperation<MatchInput, MatchInput['queries'], readonly MatchOutcome[]> = {
    needs: { credential: 'session', plan: 'any' },
    price: 'batch',
    read({ queries, agreed }) {
      if (countValid(queries) > agreed)
        throw fail('invalid_request', { message: 'Check the list again: it has changed.' });
      return queries;
    },
    countUnits: countValid,
    waitMs: ({ length }) => length * WAIT_MS,
    async answer(queries, { input: { log }, caller: { accountId }, deadline, isGone }) {
      const { outcomes } = await matchEach(matcher, queries, { account: accountId, deadline, isGone });
      for (const each of outcomes) if ('error' in each && !(each.error instanceof Failure)) log.error(each.error);
      return { answer: outcomes, units: outcomes.filter((each) => 'answer' in each).length };
    },
  };

  /** Matches the rows that come after those that are done. */
  function match({ account }: SignedIn, queries: readonly ListedQuery[], fields: Fields, reply: FastifyReply) {
    const input = { log: reply.log, queries, agreed: Number(fields.units ?? 0) };
    const credential = { kind: 'session', account } as const;
    const exchange = { input, credential, deadline: startDeadline(), response: reply.raw, caller: null };
    return executor.perform(matching, exchange);
  }

  async function showCheck(signedIn: SignedIn, state: MatchState, problem?: MatchView['notice']) {
    const { remaining } = await meter.readUsage(signedIn.account);
    const queries = readQueries(state);
    const view = { kind: 'check', state, queries, left: remaining, packed: await packState(state) } as const;
    return matchPage({ visitor: describeVisitor(signedIn), notice: problem, ...view });
  }

  function handle(work: (signedIn: SignedIn, fields: Fields, reply: FastifyReply) => Promise<FastifyReply>) {
    return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const deadline = startDeadline();
      const fields = (request.body ?? {}) as Fields;
      const signedIn = await findSignedIn(request, services, deadline);
      if (signedIn === undefined) return sendToSignIn(reply, '/match');
      try {
        return await work(signedIn, fields, reply);
      } catch (error) {
        if (!(error instanceof Failure && error.code === 'invalid_request')) throw error;
        const countries = await registry.listCountries();
        const { list, country } = fields;
        const view = { kind: 'form', countries, problem: error.message, list, country } as const;
        return sendPage(reply.code(statusOf(error.code)), matchPage({ visitor: describeVisitor(signedIn), ...view }));
      }
    };
  }

  async function refuse(signedIn: SignedIn, state: MatchState, reply: FastifyReply, refused: Refusal) {
    if (refused.outcome !== 'failed') {
      const page = await showCheck(signedIn, state, limitNotice(refused, clock.now()));
      return sendPage(reply.code(statusOf(refused.code)), page);
    }
    const { error } = refused;
    // The list would be lost with the page.
    if (!(error instanceof Failure) || error.code !== 'service_unavailable') throw error;
    const busy = notice('bad', 'Nothing was matched', `${error.message} No request was used.`);
    return sendPage(reply.code(statusOf(error.code)), await showCheck(signedIn, state, busy));
  }

  app.get('/match', async (request, reply) => {
    const deadline = startDeadline();
    const signedIn = await findSignedIn(request, services, deadline);
    const countries = signedIn === undefined ? [] : await registry.listCountries();
    return sendPage(reply, matchPage({ visitor: describeVisitor(signedIn), kind: 'form', countries }));
  });
  // The address of the form with results: reloading it as a page starts again.
  app.get('/match/rows', (_request, reply) => reply.redirect('/match', 303));

  registerForms(
    app,
    services.site,
    (scope) => {
      scope.post(
        '/match',
        handle(async (signedIn, { list = '', country = '' }, reply) =>
          sendPage(reply, await showCheck(signedIn, await readList(list, country))),
        ),
      );
      scope.post(
        '/match/rows',
        handle(async (signedIn, fields, reply) => {
          const state = finishPage(await unpackState(fields.state ?? ''), (row) => fields[`c${row}`]);
          const first = state.done.length;
          const result = await match(signedIn, readQueries(state).slice(first, first + ROWS_PER_PAGE), fields, reply);
          if (result.outcome !== 'answered') return refuse(signedIn, state, reply, result);
          const { limits, units } = result;
          const outcomes = result.answer.map(dropUnlikely);
          const next = { ...state, page: outcomes.map(listChoices) };
          const view = { kind: 'rows', state: next, outcomes, units, left: limits.quota.remaining } as const;
          const rest = readQueries(state).slice(first + outcomes.length);
          const packed = await packState(next);
          return sendPage(reply, matchPage({ visitor: describeVisitor(signedIn), ...view, rest, packed }));
        }),
      );
      scope.post(
        '/match/download',
        handle(async (_signedIn, fields, reply) =>
          sendCsv(
            reply,
            finishPage(await unpackState(fields.state ?? ''), (row) => fields[`c${row}`]),
            clock,
          ),
        ),
      );
      scope.post(
        '/match/all',
        handle(async (signedIn, fields, reply) => {
          const state = finishPage(await unpackState(fields.state ?? ''), (row) => fields[`c${row}`]);
          const result = await match(signedIn, readQueries(state).slice(state.done.length), fields, reply);
          if (result.outcome !== 'answered') return refuse(signedIn, state, reply, result);
          const results = result.answer.map((outcome) => describeOutcome(outcome));
          return sendCsv(reply, { ...state, done: [...state.done, ...results] }, clock);
        }),
      );
    },
    MAX_BODY_BYTES,
  );
}

type Refusal = Exclude<Reply<unknown>, { readonly outcome: 'answered' }>;

function countValid(queries: readonly ListedQuery[]): number {
  return queries.filter((each) => 'query' in each).length;
}

async function readList(text: string, country: string): Promise<MatchState> {
  const bytes = (async function* () {
    yield Buffer.from(text);
  })();
  try {
    const list = await openList(bytes, 'detect');
    const rows: string[][] = [];
    for await (const batch of list.rows) rows.push(...batch.map((row) => [...row]));
    if (rows.length === 0) throw fail('invalid_request', { message: 'The list has no rows.' });
    if (rows.length > MAX_ROWS) {
      const message = `The list has ${formatCount(rows.length)} rows; the maximum is ${formatCount(MAX_ROWS)}. Use the API or the command line for longer lists.`;
      throw fail('invalid_request', { message });
    }
    return { header: [...list.header], rows, country, done: [], page: [] };
  } catch (error) {
    if (error instanceof Failure || !(error instanceof Error) || error.name !== 'FormatError') throw error;
    throw fail('invalid_request', { message: `The list cannot be read: ${error.message}.` });
  }
}

function readQueries({ header, rows, country }: MatchState): ListedQuery[] {
  const defaults = { limit: SHOWN_CANDIDATES, ...(country !== '' && { country }) };
  return rows.map(createRowReader(header, (given) => readListedQuery({ ...defaults, ...(given as object) })));
}

/** Less likely candidates are noise. */
const MIN_SCORE = 0.01;

function dropUnlikely(outcome: MatchOutcome): MatchOutcome {
  if ('error' in outcome) return outcome;
  const candidates = outcome.answer.candidates.filter(({ score }) => score >= MIN_SCORE);
  return { answer: { ...outcome.answer, candidates } };
}

/** None of the candidates first, then each of them. */
function listChoices(outcome: MatchOutcome): (string | null)[][] {
  const candidates = 'answer' in outcome ? outcome.answer.candidates : [];
  return [null, ...candidates].map((candidate) => describeOutcome(outcome, candidate));
}

function sendCsv(reply: FastifyReply, { header, rows, done }: MatchState, clock: Clock): FastifyReply {
  const head = writeCsvHeader([...header, ...RESULT_COLUMNS], header.length);
  const text = rows.map((row, index) => writeRow(header, row, done[index] ?? ['not matched'])).join('');
  const day = new Date(clock.now()).toISOString().slice(0, 10);
  return reply
    .type(contentTypes.csv)
    .header('Content-Disposition', `attachment; filename="matched-${day}.csv"`)
    .send(head + text);
}
