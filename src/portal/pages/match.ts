import type { SignedIn } from '../../accounts/accounts.ts';
import type { BatchOperation, Reply } from '../../accounts/charging/operation.ts';
import { showText } from '../../base/display-text.ts';
import { defaultMessage, Failure, fail, statusOf as statusOfCode } from '../../base/errors.ts';
import { type Html, html } from '../../base/html.ts';
import type { Fields } from '../../base/requests/form-fields.ts';
import { startDeadline } from '../../base/system/deadline.ts';
import { contentTypes } from '../../exports/results/result-files.ts';
import type { Routes } from '../../http/app.ts';
import type { HttpReply } from '../../http/reply.ts';
import type { HttpRequest } from '../../http/request.ts';
import { type ListedQuery, type MatchOutcome, matchEach } from '../../search/match/batch.ts';
import { describeOutcome, findNameColumn, idOfMatch, listUsedColumns } from '../../search/match/list.ts';
import type { MatchCandidate } from '../../search/match/matching.ts';
import {
  finishPage,
  LIKELY,
  type ListedRow,
  MAX_ROWS,
  type MatchState,
  packState,
  parseList,
  parseResults,
  parseRows,
  ROWS_PER_PAGE,
  unpackState,
  usualChoice,
  writeResult,
} from '../../search/match/reviewed-list.ts';
import { type AccountForms, type AccountPages, orShow, type ShowProblem } from '../account.ts';
import { codeBlock, hiddenFields, notice, selectField } from '../parts/blocks.ts';
import { layout, type Visitor } from '../parts/layout.ts';
import { limitNotice } from '../parts/plans.ts';
import { listReasons } from '../parts/search/results.ts';
import type { PageServices } from '../services.ts';
import { formatAmount, formatCount, formatScore, nameCountry, sortByCountryName } from '../text/formatting.ts';
import { describeVisitor, findSignedIn, sendPage, signInAddress, startCharge } from '../visitor.ts';
import { LIST_FILE } from './monitor.ts';
import { sendMonitors } from './monitors.ts';

const [SHOWN_PROBLEMS, SHOWN_NAMES] = [5, 3];
/** Enough for 1,000 rows in a script whose letters take nine bytes in a form. */
const MAX_BODY_BYTES = 1024 * 1024;
const WAIT_MS = 20;

interface MatchInput {
  readonly log: HttpRequest['log'];
  readonly rows: readonly ListedRow[];
  /** The number of requests on the button, to which the user agreed. */
  readonly agreed: number;
}

/**
 * Matching of a pasted list: check the list, match and choose page by page or all at once, download. The list and its results are packed
 * into the form. Only matching is charged, one request per row.
 */
export function registerMatchPage(app: Routes, services: PageServices, pages: AccountPages): void {
  const { matcher, registry, executor, meter, clock } = services;

  const matching: BatchOperation<MatchInput, MatchInput['rows'], readonly MatchOutcome[]> = {
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

  /** Matches rows, and charges them to the account. */
  function match({ account }: SignedIn, rows: readonly ListedRow[], fields: Fields, reply: HttpReply) {
    const input = { log: reply.request.log, rows, agreed: Number(fields.units ?? 0) };
    return executor.perform(matching, { ...startCharge(account, input), response: reply.raw });
  }

  async function checkPage({ account, user }: SignedIn, state: MatchState, problem?: Html): Promise<Html> {
    const { remaining } = await meter.readUsage(account);
    const open = await parseRows(state, state.done.length);
    const packed = await packState({ ...state, valid: countValid(open) });
    return matchPage(describeVisitor({ account, user }), html`${problem}${checkForm(state, open, remaining, packed)}`);
  }

  /** The page without results: shows the problem of a list, and keeps the list. */
  async function formPage(visitor: Visitor, { list, country }: Fields = {}, problem?: string): Promise<Html> {
    if (visitor === 'anonymous') return matchPage(visitor, invitation, true);
    const served = (await registry.listCountries()).filter(({ enabled }) => enabled);
    const countries = sortByCountryName(served).map(({ code }) => [code, nameCountry(code)] as const);
    return matchPage(visitor, listForm(countries, { list, country }, problem), true);
  }

  /** Shows the form again, with the problem of the list. */
  const showAgain: ShowProblem = async ({ body }, reply, signedIn, { message }) =>
    sendPage(reply, await formPage(describeVisitor(signedIn), body, message));

  /** Shows the list again, which an error page would lose. */
  async function refuse(signedIn: SignedIn, state: MatchState, reply: HttpReply, refused: Refusal) {
    const error = refused.outcome === 'failed' ? refused.error : undefined;
    if (error !== undefined && !(error instanceof Failure && error.code === 'service_unavailable')) throw error;
    const shown =
      refused.outcome === 'denied'
        ? limitNotice(refused, clock.now())
        : notice('bad', 'Nothing was matched', `${error?.message} No request was used.`);
    const code = refused.outcome === 'denied' ? refused.code : 'service_unavailable';
    return sendPage(reply.code(statusOfCode(code)), await checkPage(signedIn, state, shown));
  }

  async function sendResult(reply: HttpReply, state: MatchState): Promise<HttpReply> {
    const day = new Date(clock.now()).toISOString().slice(0, 10);
    reply.type(contentTypes.csv).header('Content-Disposition', `attachment; filename="matched-${day}.csv"`);
    return reply.send(await writeResult(state));
  }

  app.get('/match', async (request, reply) => {
    const signedIn = await findSignedIn(request, services, startDeadline());
    return sendPage(reply, await formPage(describeVisitor(signedIn)));
  });
  // The form with results is sent to this address. Opening the address as a page starts again.
  app.get('/match/rows', (_request, reply) => reply.redirect('/match', 303));

  const forms: AccountForms = {
    async '/match'({ body = {} }, reply, signedIn) {
      const { list = '', country = '' } = body;
      return sendPage(reply, await checkPage(signedIn, await parseList(list, country)));
    },
    async '/match/rows'({ body = {} }, reply, signedIn) {
      const state = await parseState(body);
      const first = state.done.length;
      const rows = await parseRows(state, first, ROWS_PER_PAGE);
      const result = await match(signedIn, rows, body, reply);
      if (result.outcome !== 'answered') return refuse(signedIn, state, reply, result);
      const { limits, units } = result;
      const outcomes = result.answer.map((outcome): MatchOutcome => {
        if ('error' in outcome) return outcome;
        const candidates = outcome.answer.candidates.filter(({ score }) => score >= MIN_SCORE);
        return { answer: { ...outcome.answer, candidates } };
      });
      const page = outcomes.map((outcome) => JSON.stringify(listChoices(outcome)));
      const next = { ...state, valid: Math.max(0, state.valid - countValid(rows)), page };
      const following = await parseRows(state, first + rows.length, ROWS_PER_PAGE);
      const left = limits.quota.remaining;
      const cost = `Used ${formatAmount(units, 'request')}; ${formatCount(left)} left in this period. A record that you open uses one.`;
      const rest = next.rows.length - first - rows.length;
      const buttons = nextButtons(rest, countValid(following), next.valid, left);
      const content = html`<div class="summary"><p role="status">Rows ${formatCount(first + 1)} to ${formatCount(first + rows.length)} of
          ${formatCount(next.rows.length)}: ${countStatuses(outcomes)}</p>
        <p class="cost">${cost}</p></div>
        <form method="post" action="/match/rows">
          ${hiddenFields([['state', await packState(next)]])}
          ${rowList(rows, outcomes, first)}
          ${watchButton}
          ${rest > 0 ? html`${buttons}${downloadButton('Download what is matched')}` : downloadButton('Download the result', true)}
        </form>
        <p><a href="/match">Match another list</a></p>`;
      return sendPage(reply, matchPage(describeVisitor(signedIn), content));
    },
    async '/match/download'({ body = {} }, reply, _signedIn) {
      return sendResult(reply, await parseState(body));
    },
    async '/match/watch'({ body = {} }, reply, signedIn) {
      const { done } = await parseState(body);
      const ids = new Set(done.flatMap((results) => idOfMatch(parseResults(results)) ?? []));
      return sendMonitors(services, pages, reply, signedIn, { name: 'Matched companies', list: [...ids].join('\n') });
    },
    async '/match/all'({ body = {} }, reply, signedIn) {
      const state = await parseState(body);
      const open = await parseRows(state, state.done.length);
      const result = await match(signedIn, open, body, reply);
      if (result.outcome !== 'answered') return refuse(signedIn, state, reply, result);
      const results = result.answer.map((outcome) => JSON.stringify(describeOutcome(outcome)));
      return sendResult(reply, { ...state, done: [...state.done, ...results] });
    },
  };
  const shown = Object.entries(forms).map(([path, work]) => [path, orShow(showAgain, work)] as const);
  pages.post(Object.fromEntries(shown), () => '/match', MAX_BODY_BYTES);
}

type Refusal = Exclude<Reply<unknown>, { readonly outcome: 'answered' }>;

async function parseState({ state = '', accept, ...fields }: Fields): Promise<MatchState> {
  return finishPage(await unpackState(state), (row) => fields[`c${row}`] || undefined, accept !== undefined);
}

/** Candidates with a lower score are noise. */
const MIN_SCORE = 0.01;

/** The choices of a row: no candidate, then each candidate. The preselected candidate leaves the status of the row unchanged. */
function listChoices(outcome: MatchOutcome): (string | null)[][] {
  const { status, candidates } = 'answer' in outcome ? outcome.answer : { status: 'none', candidates: [] };
  return [null, ...candidates].map((candidate, at) =>
    describeOutcome(outcome, at === 1 && usualChoice(status) === at ? undefined : candidate),
  );
}

function matchPage(visitor: Visitor, content: Html, isForm = false): Html {
  return layout('Match a list', html`<div class="match"><h1>Match a list of companies</h1>${content}</div>`, {
    section: '/match',
    visitor,
    isUnlisted: !isForm,
    scripts: isForm ? [LIST_FILE] : [],
    description: 'Find the companies of a spreadsheet in official registers by their names.',
  });
}

const EXAMPLE = 'name,country\nElm Holdings Albion,GB\nJarvinen Kala,FI';
const RESULT =
  'ALBION ELM HOLDINGS LTD: 99.9% likely, the words are in another order\nJärvinen Kala Oy: 98% likely, the names are the same';

const lead = html`<p class="lead">Paste names from a spreadsheet. You get the company that each one means, how likely it is, and why.</p>`;

/** Visitors see no form, because the list would be lost on the way to the sign-in. */
const invitation = html`${lead}<p><a class="button" href="${signInAddress('/match')}">Sign in</a> to match a list. One row uses one request.</p>
  ${codeBlock('Example of a list', EXAMPLE)}${codeBlock('What you get', RESULT)}`;

function listForm(
  countries: readonly (readonly [code: string, name: string])[],
  { list, country = '' }: Fields,
  problem?: string,
): Html {
  return html`${lead}
    ${problem !== undefined && notice('bad', 'The list cannot be used', problem)}
    <form method="post" action="/match">
      <label for="list">One name per line, or CSV with a column <code>name</code></label>
      <textarea id="list" name="list" rows="12" required spellcheck="false" aria-describedby="list-hint"
        placeholder="${EXAMPLE}">${list}</textarea>
      <p class="hint" id="list-hint">Up to ${formatCount(MAX_ROWS)} rows. The columns <code>country</code>, <code>registrationNumber</code>,
      <code>city</code>, <code>postcode</code>, <code>legalForm</code> and <code>registeredAt</code> are used if there are any.</p>
      <p class="file" hidden><label for="list-file">From a file</label> <input id="list-file" type="file" accept=".csv,.txt,text/csv,text/plain" data-fills="list"></p>
      ${selectField('country', 'Country of rows without one', [['', 'Any country'], ...countries], country.toUpperCase())}
      <button>Check the list</button>
      <p class="hint">Checking is free, and shows what matching will use. Nothing is stored on the server.</p>
    </form>`;
}

/** Shows the list as it was parsed, and the cost of matching. `open` has the rows that are not matched yet. */
function checkForm(state: MatchState, open: readonly ListedRow[], left: number, packed: string): Html {
  const { rows, done } = state;
  const problems = open.flatMap(({ listed }, index) =>
    'error' in listed ? [{ row: done.length + index + 1, listed }] : [],
  );
  return html`<p class="lead">${formatAmount(rows.length, 'row')}${
    done.length > 0 && `, ${formatCount(done.length)} matched already`
  }. ${describeColumns(state, open)}</p>
    ${
      problems.length > 0 &&
      html`<div class="notice warn" role="status"><p class="title">${formatAmount(problems.length, 'row')} cannot be matched and ${problems.length === 1 ? 'uses' : 'use'} no request</p>
      <ul>${problems.slice(0, SHOWN_PROBLEMS).map(({ row, listed }) => html`<li>Row ${formatCount(row)}: ${showText(describeProblem(listed))}</li>`)}</ul></div>`
    }
    <form method="post" action="/match/rows">
      ${hiddenFields([['state', packed]])}
      ${nextButtons(open.length, countValid(open.slice(0, ROWS_PER_PAGE)), countValid(open), left)}
      ${done.length > 0 && downloadButton('Download what is matched')}
    </form>
    <p><a href="/match">Start again</a></p>`;
}

/** Describes how the list was parsed, so that users notice a wrong column before they pay. */
function describeColumns({ header }: MatchState, rows: readonly ListedRow[]): Html | false {
  const column = findNameColumn(header);
  const names = rows.flatMap(({ name }) => (name === '' ? [] : name));
  if (names.length === 0) return false;
  const others = listUsedColumns(header).filter((index) => index !== column);
  return html`The first ${names.length === 1 ? 'name is' : 'names are'} ${quote(names.slice(0, SHOWN_NAMES).map((name) => shorten(name)))}${
    header.length > 1 && html`, from the column ${quote([header[column] ?? ''])}`
  }.${others.length > 0 && html` ${quote(others.map((index) => header[index] ?? ''))} ${others.length === 1 ? 'is' : 'are'} used, too.`}`;
}

const SHOWN_LENGTH = 60;
/** The limit is needed because a cell can have a megabyte of invisible characters, each of which takes 36 characters in a page. */
const ROW_NAME_LENGTH = 200;

function shorten(text: string, most = SHOWN_LENGTH): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

function quote(texts: readonly string[]): Html[] {
  return texts.map((text, index) => html`${index > 0 && ', '}“${showText(text)}”`);
}

function nextButtons(open: number, next: number, all: number, left: number): Html {
  const isWhole = open <= ROWS_PER_PAGE;
  const which = isWhole ? (open === 1 ? 'the row' : `${formatCount(open)} rows`) : `the next ${ROWS_PER_PAGE} rows`;
  return html`<div class="go"><button name="units" value="${next}">Match and review ${which}</button>
      <span class="cost">uses ${formatCount(next)} of your ${formatAmount(left, 'request')}</span></div>
    <div class="go"><button class="quiet" name="units" value="${all}" formaction="/match/all">Match all and download</button>
      <span class="cost">uses ${formatCount(all)} of your ${formatAmount(left, 'request')}</span></div>`;
}

function downloadButton(text: string, isMain = false): Html {
  return html`<div class="go"><button${!isMain && html` class="quiet"`} formaction="/match/download">${text}</button> <span class="cost">CSV, free</span></div>`;
}

/** Rows of earlier pages have companies already; this button also submits the choices of the current page. */
const watchButton = html`<div class="go"><button class="quiet" formaction="/match/watch">Watch these companies</button> <span class="cost">those that are matched or chosen, in a new monitor</span></div>`;

/** A checkbox to accept the likeliest companies of ambiguous rows. Otherwise these rows stay ambiguous. */
function acceptChoice(outcomes: readonly MatchOutcome[]): Html | false {
  const isLikely = (outcome: MatchOutcome) =>
    'answer' in outcome && (outcome.answer.candidates[0]?.score ?? 0) >= LIKELY;
  const likely = outcomes.filter((outcome) => statusOf(outcome) === 'ambiguous' && isLikely(outcome)).length;
  return (
    likely > 0 &&
    html`<label class="choice"><input type="checkbox" name="accept"> Accept all above ${formatScore(LIKELY)}: the likeliest company of ${formatAmount(likely, 'ambiguous row')}</label>`
  );
}

/** The rows of a page, each with its choices. `first` is the number of rows on earlier pages. */
function rowList(rows: readonly ListedRow[], outcomes: readonly MatchOutcome[], first: number): Html {
  const open = outcomes.filter((outcome) => statusOf(outcome) !== 'match').length;
  const filter = html`<label class="choice"><input type="checkbox" id="only"> Show only ${formatAmount(open, 'row')} without a match</label>`;
  const items = outcomes.map((outcome, index) => {
    const choices = rowChoices(first + index, rows[index]?.name ?? '', outcome);
    return html`<li class="${statusOf(outcome)}">${choices}</li>`;
  });
  return html`${open > 0 && open < outcomes.length && filter}${acceptChoice(outcomes)}
    <ol class="matched" start="${first + 1}">${items}</ol>`;
}

/** The colour and the name of each status. */
const STATUSES = {
  match: ['good', 'match'],
  ambiguous: ['warn', 'ambiguous'],
  none: ['plain', 'no match'],
  error: ['warn', 'error'],
} as const;
type Status = keyof typeof STATUSES;

function statusOf(outcome: MatchOutcome): Status {
  return 'answer' in outcome ? outcome.answer.status : 'error';
}

function rowChoices(row: number, name: string, outcome: MatchOutcome): Html {
  const status = statusOf(outcome);
  const [tone, label] = STATUSES[status];
  const text = 'answer' in outcome ? outcome.answer.text : describeProblem(outcome);
  const candidates = 'answer' in outcome ? outcome.answer.candidates : [];
  const chosen = usualChoice(status);
  const isOpen = status === 'ambiguous';
  const radio = (choice: number) =>
    html`<input type="radio" name="c${row}" value="${isOpen && choice === chosen ? '' : choice}"${choice === chosen && html` checked`}>`;
  // The checkbox has the name of the radio buttons: of several values of a field, the last one counts.
  const choices = html`${candidates.map((candidate, index) => candidateChoice(candidate, radio(index + 1)))}
    ${candidates.length > 0 && html`<label>${radio(0)}<span>None of these</span></label>`}
    ${isOpen && html`<label><input type="checkbox" name="c${row}" value="${chosen}"><span>The likeliest is right</span></label>`}`;
  return html`<fieldset><legend><span class="quiet">${formatCount(row + 1)}.</span> ${showText(shorten(name, ROW_NAME_LENGTH))} <span class="badge ${tone}">${label}</span></legend>
    ${status !== 'match' && html`<p class="why">${showText(text)}</p>`}
    ${status === 'none' && candidates.length > 0 ? html`<details><summary>${formatAmount(candidates.length, 'unlikely company', 'unlikely companies')}</summary>${choices}</details>` : choices}</fieldset>`;
}

function candidateChoice(candidate: MatchCandidate, radio: Html): Html {
  const { id, canonicalName, registrationNumber, city, countryCode, status } = candidate.entity;
  const facts = [registrationNumber, city, nameCountry(countryCode), status.replaceAll('_', ' ')];
  return html`<label>${radio}<span><strong>${showText(canonicalName)}</strong> ${formatScore(candidate.score)} likely
    <small>${showText(facts.filter((fact) => fact !== null).join(' · '))}<br>${showText(listReasons(candidate))} · <a href="/entities/${id}" target="_blank">Open record</a></small></span></label>`;
}

function countStatuses(outcomes: readonly MatchOutcome[]): string {
  const counts = Map.groupBy(outcomes, statusOf);
  const listed = Object.entries(STATUSES).flatMap(([status, [, label]]) => {
    const count = counts.get(status as Status)?.length;
    return count === undefined ? [] : `${formatCount(count)} ${label}`;
  });
  return listed.join(', ');
}

function countValid(rows: readonly ListedRow[]): number {
  return rows.filter(({ listed }) => 'query' in listed).length;
}

function describeProblem(each: ListedQuery | MatchOutcome): string {
  const { error } = each as { readonly error?: unknown };
  // Other errors are internal, and their text is only for the log.
  return error instanceof Failure ? error.message : defaultMessage('internal_error');
}
