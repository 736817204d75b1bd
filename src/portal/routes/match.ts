import type { SignedIn } from '../../accounts/accounts.ts';
import type { BatchOperation, Reply } from '../../accounts/charging/operation.ts';
import type { Clock } from '../../base/clock.ts';
import { writeCsvHeader } from '../../base/csv.ts';
import { Failure, fail, statusOf } from '../../base/errors.ts';
import type { Fields } from '../../base/requests/form-fields.ts';
import { startDeadline } from '../../base/system/deadline.ts';
import { takeBreakIfDue } from '../../base/system/event-loop.ts';
import { contentTypes } from '../../exports/results/formats.ts';
import type { Routes } from '../../http/app.ts';
import type { HttpReply } from '../../http/reply.ts';
import type { HttpRequest } from '../../http/request.ts';
import { type MatchOutcome, matchEach } from '../../search/match/batch.ts';
import {
  createRowReader,
  describeOutcome,
  findNameColumn,
  idOfMatch,
  openList,
  RESULT_COLUMNS,
  writeRow,
} from '../../search/match/list.ts';
import { readListedQuery } from '../../search/match-parameters.ts';
import { monitorTypes } from '../../watch/monitors/monitor.ts';
import {
  finishPage,
  MAX_COLUMNS,
  MAX_LINE_LENGTH,
  MAX_ROWS,
  type MatchState,
  packState,
  ROWS_PER_PAGE,
  readResults,
  readRow,
  SHOWN_CANDIDATES,
  unpackState,
  usualChoice,
} from '../match-state.ts';
import { countValid, type ListedRow, type MatchView, matchPage } from '../pages/match.ts';
import { monitorsPage } from '../pages/monitors.ts';
import { notice } from '../parts/blocks.ts';
import { limitNotice } from '../parts/search/limit-notices.ts';
import type { PageServices } from '../services.ts';
import { formatCount } from '../text/formatting.ts';
import {
  describeVisitor,
  findSignedIn,
  registerAccountForms,
  SESSION,
  sendPage,
  signedInOf,
  startCharge,
} from '../visitor.ts';

/** 1,000 rows in a script whose letters take nine bytes in a form. */
const MAX_BODY_BYTES = 1024 * 1024;
const WAIT_MS = 20;

interface MatchInput {
  readonly log: HttpRequest['log'];
  readonly rows: readonly ListedRow[];
  /** What the button said that it costs. */
  readonly agreed: number;
}

/**
 * Matching of a pasted list: check it, match and choose page by page or all at once, download. The list and its results travel in the
 * form, packed. Only matching is charged, one request per row.
 */
export function registerMatchPage(app: Routes, services: PageServices): void {
  const { matcher, registry, executor, meter, monitors, clock } = services;

  const matching: BatchOperation<MatchInput, MatchInput['rows'], readonly MatchOutcome[]> = {
    needs: SESSION,
    price: 'batch',
    read({ rows, agreed }) {
      if (countValid(rows) > agreed)
        throw fail('invalid_request', { message: 'Check the list again: it has changed.' });
      return rows;
    },
    countUnits: countValid,
    waitMs: ({ length }) => length * WAIT_MS,
    async answer(rows, { input: { log }, caller: { accountId }, deadline, isGone }) {
      const queries = rows.map(({ listed }) => listed);
      const { outcomes } = await matchEach(matcher, queries, { account: accountId, deadline, isGone });
      for (const each of outcomes) if ('error' in each && !(each.error instanceof Failure)) log.error(each.error);
      return { answer: outcomes, units: outcomes.filter((each) => 'answer' in each).length };
    },
  };

  /** Matches the rows that come after those that are done. */
  function match({ account }: SignedIn, rows: readonly ListedRow[], fields: Fields, reply: HttpReply) {
    const input = { log: reply.request.log, rows, agreed: Number(fields.units ?? 0) };
    return executor.perform(matching, { ...startCharge(account, input), response: reply.raw });
  }

  async function showCheck(signedIn: SignedIn, state: MatchState, problem?: MatchView['notice']) {
    const { remaining } = await meter.readUsage(signedIn.account);
    const open = await readRows(state, state.done.length);
    const packed = await packState({ ...state, valid: countValid(open) });
    const view = { kind: 'check', state, open, left: remaining, packed } as const;
    return matchPage({ visitor: describeVisitor(signedIn), notice: problem, ...view });
  }

  function handle(work: (signedIn: SignedIn, fields: Fields, reply: HttpReply) => Promise<HttpReply>) {
    return async (request: HttpRequest, reply: HttpReply): Promise<HttpReply> => {
      const fields = (request.body ?? {}) as Fields;
      const signedIn = signedInOf(request);
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

  async function refuse(signedIn: SignedIn, state: MatchState, reply: HttpReply, refused: Refusal) {
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

  const register = (scope: Routes) => {
    scope.post(
      '/match',
      handle(async (signedIn, { list = '', country = '' }, reply) =>
        sendPage(reply, await showCheck(signedIn, await readList(list, country))),
      ),
    );
    scope.post(
      '/match/rows',
      handle(async (signedIn, fields, reply) => {
        const state = await readState(fields);
        const first = state.done.length;
        const rows = await readRows(state, first, ROWS_PER_PAGE);
        const result = await match(signedIn, rows, fields, reply);
        if (result.outcome !== 'answered') return refuse(signedIn, state, reply, result);
        const { limits, units } = result;
        const outcomes = result.answer.map(dropUnlikely);
        const page = outcomes.map((outcome) => JSON.stringify(listChoices(outcome)));
        const next = { ...state, valid: Math.max(0, state.valid - countValid(rows)), page };
        const following = await readRows(state, first + rows.length, ROWS_PER_PAGE);
        const view = { kind: 'rows', state: next, rows, outcomes, following, units } as const;
        const packed = await packState(next);
        const left = limits.quota.remaining;
        return sendPage(reply, matchPage({ visitor: describeVisitor(signedIn), ...view, left, packed }));
      }),
    );
    scope.post(
      '/match/download',
      handle(async (_signedIn, fields, reply) => sendCsv(reply, await readState(fields), clock)),
    );
    scope.post(
      '/match/watch',
      handle(async (signedIn, fields, reply) => {
        const { done } = await readState(fields);
        const ids = new Set(done.flatMap((results) => idOfMatch(readResults(results)) ?? []));
        const { account } = signedIn;
        const form = { name: 'Matched companies', list: [...ids].join('\n'), search: '' };
        const view = { visitor: describeVisitor(signedIn), plan: account.plan };
        const own = await monitors.list(account.accountId);
        const scope = { types: monitorTypes, fields: null };
        return sendPage(reply, monitorsPage({ ...view, monitors: own, form: { ...form, ...scope } }));
      }),
    );
    scope.post(
      '/match/all',
      handle(async (signedIn, fields, reply) => {
        const state = await readState(fields);
        const open = await readRows(state, state.done.length);
        const result = await match(signedIn, open, fields, reply);
        if (result.outcome !== 'answered') return refuse(signedIn, state, reply, result);
        const results = result.answer.map((outcome) => JSON.stringify(describeOutcome(outcome)));
        return sendCsv(reply, { ...state, done: [...state.done, ...results] }, clock);
      }),
    );
  };
  registerAccountForms(app, services, register, () => '/match', MAX_BODY_BYTES);
}

type Refusal = Exclude<Reply<unknown>, { readonly outcome: 'answered' }>;

async function readState({ state = '', accept, ...fields }: Fields): Promise<MatchState> {
  return finishPage(await unpackState(state), (row) => fields[`c${row}`], accept !== undefined);
}

/** Blank lines and cells with several lines are rare. */
const MAX_LINES = 10 * MAX_ROWS;
const CHUNK_BYTES = 64 * 1024;

async function readList(text: string, country: string): Promise<MatchState> {
  if (country.length > 2) throw fail('invalid_request', { message: 'Choose a country from the list.' });
  checkLines(text);
  try {
    const { header, rows: batches } = await openList(readChunks(text), 'detect');
    checkWidth(header, 'The first line');
    const rows: string[] = [];
    for await (const batch of batches) {
      for (const row of batch) {
        await takeBreakIfDue();
        if (rows.length === MAX_ROWS) throw tooLong(MAX_ROWS, 'rows');
        checkWidth(row, `Row ${formatCount(rows.length + 1)}`);
        rows.push(JSON.stringify(row));
      }
    }
    if (rows.length === 0) throw fail('invalid_request', { message: 'The list has no rows.' });
    return { header: [...header], rows, country, valid: 0, done: [], page: [] };
  } catch (error) {
    if (error instanceof Failure || !(error instanceof Error) || error.name !== 'FormatError') throw error;
    throw fail('invalid_request', { message: `The list cannot be read: ${error.message}.` });
  }
}

/** Bounds what it costs to read the list, before anything is built from it. */
function checkLines(text: string): void {
  let lines = 0;
  for (let start = 0, end = 0; end !== -1; start = end + 1) {
    end = text.indexOf('\n', start);
    if (++lines > MAX_LINES) throw tooLong(MAX_LINES, 'lines');
    if ((end === -1 ? text.length : end) - start > MAX_LINE_LENGTH / 2) {
      throw fail('invalid_request', { message: `Line ${formatCount(lines)} of the list is too long.` });
    }
  }
}

function checkWidth(cells: readonly string[], what: string): void {
  if (cells.length <= MAX_COLUMNS) return;
  const message = `${what} has ${formatCount(cells.length)} cells; the maximum is ${formatCount(MAX_COLUMNS)}.`;
  throw fail('invalid_request', { message });
}

function tooLong(limit: number, what: string): Failure {
  const message = `The list has more than ${formatCount(limit)} ${what}. Use the API or the command line for longer lists.`;
  return fail('invalid_request', { message });
}

async function* readChunks(text: string): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    await takeBreakIfDue();
    yield bytes.subarray(at, at + CHUNK_BYTES);
  }
}

/** Reads `count` rows from the given one, with breaks. */
async function readRows({ header, rows, country }: MatchState, first: number, count = MAX_ROWS): Promise<ListedRow[]> {
  const defaults = { limit: SHOWN_CANDIDATES, ...(country !== '' && { country }) };
  const read = createRowReader(header, (given) => readListedQuery({ ...defaults, ...(given as object) }));
  const column = findNameColumn(header);
  const listed: ListedRow[] = [];
  for (const line of rows.slice(first, first + count)) {
    await takeBreakIfDue();
    const cells = readRow(line);
    listed.push({ name: cells[column]?.trim() ?? '', listed: read(cells) });
  }
  return listed;
}

/** Less likely candidates are noise. */
const MIN_SCORE = 0.01;

function dropUnlikely(outcome: MatchOutcome): MatchOutcome {
  if ('error' in outcome) return outcome;
  const candidates = outcome.answer.candidates.filter(({ score }) => score >= MIN_SCORE);
  return { answer: { ...outcome.answer, candidates } };
}

/** None of the candidates first, then each of them. The likeliest is chosen already, so leaving it does not make the row certain. */
function listChoices(outcome: MatchOutcome): (string | null)[][] {
  const { status, candidates } = 'answer' in outcome ? outcome.answer : { status: 'none', candidates: [] };
  return [null, ...candidates].map((candidate, at) =>
    describeOutcome(outcome, at === 1 && usualChoice(status) === at ? undefined : candidate),
  );
}

async function sendCsv(reply: HttpReply, { header, rows, done }: MatchState, clock: Clock): Promise<HttpReply> {
  const parts = [Buffer.from(writeCsvHeader([...header, ...RESULT_COLUMNS], header.length))];
  for (const [index, line] of rows.entries()) {
    await takeBreakIfDue();
    const results = done[index];
    // As bytes, because a text of a million joined cells would be put together in one turn, when it is sent.
    parts.push(
      Buffer.from(writeRow(header, readRow(line), results === undefined ? ['not matched'] : readResults(results))),
    );
  }
  const day = new Date(clock.now()).toISOString().slice(0, 10);
  return reply
    .type(contentTypes.csv)
    .header('Content-Disposition', `attachment; filename="matched-${day}.csv"`)
    .send(Buffer.concat(parts));
}
