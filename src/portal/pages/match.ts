import { showText } from '../../base/display-text.ts';
import { defaultMessage, Failure } from '../../base/errors.ts';
import { type Html, html } from '../../base/html.ts';
import type { Country } from '../../registry/registry.ts';
import type { ListedQuery, MatchOutcome } from '../../search/match/batch.ts';
import { findNameColumn, listUsedColumns } from '../../search/match/list.ts';
import type { MatchCandidate } from '../../search/match/matching.ts';
import { LIKELY, MAX_ROWS, type MatchState, ROWS_PER_PAGE, usualChoice } from '../match-state.ts';
import { codeBlock, notice } from '../parts/blocks.ts';
import { layout, type Visitor } from '../parts/layout.ts';
import { listReasons } from '../parts/search/results.ts';
import { formatAmount, formatCount, formatScore, nameCountry, sortByCountryName } from '../text/formatting.ts';
import { signInAddress } from '../visitor.ts';

const SHOWN_PROBLEMS = 5;
const SHOWN_NAMES = 3;

/** A row of the list: its name, and its query or what is wrong with it. */
export interface ListedRow {
  readonly name: string;
  readonly listed: ListedQuery;
}

/** An empty form, a list that was read, or some of its rows with their candidates. */
export type MatchView = {
  readonly visitor: Visitor;
  readonly notice?: Html | undefined;
} & (
  | {
      readonly kind: 'form';
      /** Countries with companies. Visitors get no form, and need none. */
      readonly countries?: readonly Country[];
      readonly problem?: string;
      readonly list?: string | undefined;
      readonly country?: string | undefined;
    }
  | {
      readonly kind: 'check';
      readonly state: MatchState;
      /** The rows that are not done. */
      readonly open: readonly ListedRow[];
      readonly left: number;
      readonly packed: string;
    }
  | {
      readonly kind: 'rows';
      readonly state: MatchState;
      readonly rows: readonly ListedRow[];
      readonly outcomes: readonly MatchOutcome[];
      readonly following: readonly ListedRow[];
      readonly units: number;
      readonly left: number;
      readonly packed: string;
    }
);

type ViewOf<Kind extends MatchView['kind']> = Extract<MatchView, { readonly kind: Kind }>;

export function matchPage(view: MatchView): Html {
  const content = view.kind === 'form' ? listForm(view) : view.kind === 'check' ? checkForm(view) : rowsForm(view);
  return layout(
    'Match a list',
    html`<div class="match"><h1>Match a list of companies</h1>${view.notice}${content}</div>`,
    {
      section: '/explore',
      visitor: view.visitor,
      isUnlisted: view.kind !== 'form',
      scripts: view.kind === 'form' ? ['list-file.js'] : [],
      description: 'Find the companies of a spreadsheet in official registers by their names.',
    },
  );
}

const EXAMPLE = 'name,country\nElm Holdings Albion,GB\nAalto Jarvinen Kahvila,FI';

function listForm({ visitor, countries = [], problem, list = '', country = '' }: ViewOf<'form'>): Html {
  const lead = html`<p class="lead">Paste names from a spreadsheet. You get the company that each one means, how likely it is, and why.</p>`;
  // A form would lose the list on the way to the sign-in.
  if (visitor === 'anonymous') {
    return html`${lead}<p><a class="button" href="${signInAddress('/match')}">Sign in</a> to match a list. One row uses one request.</p>
      ${codeBlock('Example of a list', EXAMPLE)}`;
  }
  const chosen = country.toUpperCase();
  const isChosen = ({ code }: Country) => code === chosen;
  return html`${lead}
    ${problem !== undefined && notice('bad', 'The list cannot be used', problem)}
    <form method="post" action="/match">
      <label for="list">One name per line, or CSV with a column <code>name</code></label>
      <textarea id="list" name="list" rows="12" required spellcheck="false" aria-describedby="list-hint"
        placeholder="${EXAMPLE}">${list}</textarea>
      <p class="hint" id="list-hint">Up to ${formatCount(MAX_ROWS)} rows. The columns <code>country</code>, <code>registrationNumber</code>,
      <code>city</code>, <code>postcode</code>, <code>legalForm</code> and <code>registeredAt</code> are used if there are any.</p>
      <p class="file" hidden><label for="list-file">From a file</label> <input id="list-file" type="file" accept=".csv,.txt,text/csv,text/plain" data-fills="list"></p>
      <label for="country">Country of rows without one</label>
      <select id="country" name="country"><option value="">Any country</option>
        ${sortByCountryName(countries.filter(({ enabled }) => enabled)).map((each) => html`<option value="${each.code}"${isChosen(each) && html` selected`}>${nameCountry(each.code)}</option>`)}</select>
      <button>Check the list</button>
      <p class="hint">Checking is free, and shows what matching will use. Nothing is stored on the server.</p>
    </form>`;
}

function checkForm({ state, open, left, packed }: ViewOf<'check'>): Html {
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
      <input type="hidden" name="state" value="${packed}">
      ${nextButtons(open.length, countValid(open.slice(0, ROWS_PER_PAGE)), countValid(open), left)}
      ${done.length > 0 && downloadButton('Download what is matched')}
    </form>
    <p><a href="/match">Start again</a></p>`;
}

/** How the list was read, so that a wrong column is noticed before it costs anything. */
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
/** A cell can have a megabyte of invisible characters, each of which takes 36 characters in a page. */
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

/** The rows before this page have companies already, and those of this page are chosen with the button. */
const watchButton = html`<div class="go"><button class="quiet" formaction="/match/watch">Watch these companies</button> <span class="cost">those that are matched or chosen, in a new monitor</span></div>`;

/** Rows that are ambiguous stay so, with their likeliest company, unless they are accepted. */
function acceptChoice(outcomes: readonly MatchOutcome[]): Html | false {
  const likely = outcomes.filter(
    (outcome) => statusOf(outcome) === 'ambiguous' && likelihoodOf(outcome) >= LIKELY,
  ).length;
  return (
    likely > 0 &&
    html`<label class="choice"><input type="checkbox" name="accept"> Accept all above ${formatScore(LIKELY)}: the likeliest company of ${formatAmount(likely, 'ambiguous row')}</label>`
  );
}

function likelihoodOf(outcome: MatchOutcome): number {
  return 'answer' in outcome ? (outcome.answer.candidates[0]?.score ?? 0) : 0;
}

function rowsForm({ state, rows, outcomes, following, units, left, packed }: ViewOf<'rows'>): Html {
  const first = state.done.length;
  const rest = state.rows.length - first - outcomes.length;
  const open = outcomes.filter((outcome) => statusOf(outcome) !== 'match').length;
  return html`<div class="summary"><p role="status">Rows ${formatCount(first + 1)} to ${formatCount(first + outcomes.length)} of
      ${formatCount(state.rows.length)}: ${countStatuses(outcomes)}</p>
    <p class="cost">Used ${formatAmount(units, 'request')}; ${formatCount(left)} left in this period. A record that you open uses one.</p></div>
    <form method="post" action="/match/rows">
      <input type="hidden" name="state" value="${packed}">
      ${open > 0 && open < outcomes.length && html`<label class="choice"><input type="checkbox" id="only"> Show only ${formatAmount(open, 'row')} without a match</label>`}
      ${acceptChoice(outcomes)}
      <ol class="matched" start="${first + 1}">${outcomes.map(
        (outcome, index) =>
          html`<li class="${statusOf(outcome)}">${rowChoices(first + index, rows[index]?.name ?? '', outcome)}</li>`,
      )}</ol>
      ${watchButton}
      ${rest > 0 ? html`${nextButtons(rest, countValid(following), state.valid, left)}${downloadButton('Download what is matched')}` : downloadButton('Download the result', true)}
    </form>
    <p><a href="/match">Match another list</a></p>`;
}

/** How a status is shown: its colour and its name. */
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
  const radio = (choice: number) =>
    html`<input type="radio" name="c${row}" value="${choice}"${choice === chosen && html` checked`}>`;
  const choices = html`${candidates.map((candidate, index) => candidateChoice(candidate, radio(index + 1)))}
    ${candidates.length > 0 && html`<label>${radio(0)}<span>None of these</span></label>`}`;
  return html`<fieldset><legend><span class="quiet">${formatCount(row + 1)}.</span> ${showText(shorten(name, ROW_NAME_LENGTH))} <span class="badge ${tone}">${label}</span></legend>
    ${status !== 'match' && html`<p class="why">${showText(text)}</p>`}
    ${status === 'none' && candidates.length > 0 ? html`<details><summary>${formatAmount(candidates.length, 'unlikely company', 'unlikely companies')}</summary>${choices}</details>` : choices}</fieldset>`;
}

function candidateChoice(candidate: MatchCandidate, radio: Html): Html {
  const { entity, score } = candidate;
  const facts = [
    entity.registrationNumber,
    entity.city,
    nameCountry(entity.countryCode),
    entity.status.replaceAll('_', ' '),
  ];
  return html`<label>${radio}<span><strong>${showText(entity.canonicalName)}</strong> ${formatScore(score)} likely
    <small>${showText(facts.filter((fact) => fact !== null).join(' · '))}<br>${showText(listReasons(candidate))} · <a href="/entities/${entity.id}" target="_blank">Open record</a></small></span></label>`;
}

function countStatuses(outcomes: readonly MatchOutcome[]): string {
  const counts = Map.groupBy(outcomes, statusOf);
  const listed = Object.entries(STATUSES).flatMap(([status, [, label]]) => {
    const count = counts.get(status as Status)?.length;
    return count === undefined ? [] : `${formatCount(count)} ${label}`;
  });
  return listed.join(', ');
}

export function countValid(rows: readonly ListedRow[]): number {
  return rows.filter(({ listed }) => 'query' in listed).length;
}

function describeProblem(each: ListedQuery | MatchOutcome): string {
  const { error } = each as { readonly error?: unknown };
  // Other errors are ours, and their text is for the log.
  return error instanceof Failure ? error.message : defaultMessage('internal_error');
}
