import { type Html, html } from '../../base/html.ts';
import { formatCount } from '../text/formatting.ts';

/** A message to the user. Screen readers announce `bad` immediately and the other tones when they are idle. */
export function notice(tone: 'info' | 'good' | 'warn' | 'bad', title: Html | string, text: Html | string): Html {
  return html`<div class="notice ${tone}" role="${tone === 'bad' ? 'alert' : 'status'}">
    <p class="title">${title}</p>
    <div>${text}</div>
  </div>`;
}

/** A code listing with a copy button. `public/copy.js` reveals the button, so it is hidden where scripts do not run. */
export function codeBlock(name: string, code: Html | string, size?: 'tall'): Html {
  return html`<figure class="code${size && ` ${size}`}">
    <figcaption>${name}</figcaption>
    <button type="button" class="copy" data-copy aria-label="Copy: ${name}">Copy</button>
    <pre tabindex="0" aria-label="${name}" role="group"><code translate="no">${code}</code></pre>
  </figure>`;
}

/** The reason why a form was refused. */
export interface Problem {
  readonly message: string;
  /** The field that the problem is about, which shows the message. Undefined for a problem of the whole form. */
  readonly field: string | undefined;
}

export function problemNotice(problem: Problem | undefined): Html | false {
  return problem !== undefined && problem.field === undefined && notice('bad', 'Request failed', problem.message);
}

export interface FieldView {
  /** The name of the field, and also its id. */
  readonly name: string;
  readonly label: Html | string;
  readonly value?: string | undefined;
  /** Additional attributes of the field. */
  readonly attributes?: Html;
  readonly hint?: Html | string;
  /** If the problem is about this field, it is shown at the field, which gets the focus. */
  readonly problem?: Problem | undefined;
  /** The number of lines of a field for several lines. */
  readonly rows?: number;
}

/** A labelled field of a form. */
export function textField({ name, label, value = '', attributes, hint, problem, rows }: FieldView): Html {
  const isRefused = problem?.field === name;
  const notes = [isRefused && `${name}-problem`, hint && `${name}-hint`].filter(Boolean).join(' ');
  const own = html`id="${name}" name="${name}"${attributes && html` ${attributes}`}${notes !== '' && html` aria-describedby="${notes}"`}${
    isRefused && html` aria-invalid="true" autofocus`
  }`;
  return html`<label for="${name}">${label}</label>
    ${rows === undefined ? html`<input ${own} value="${value}" autocomplete="off">` : html`<textarea ${own} rows="${rows}" spellcheck="false">${value}</textarea>`}
    ${isRefused && html`<p class="problem" id="${name}-problem">${problem.message}</p>`}
    ${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}`;
}

/** A labelled list of values. */
export function selectField(
  name: string,
  label: Html | string,
  options: Iterable<readonly [value: string, text: string]>,
  chosen = '',
): Html {
  const option = ([value, text]: readonly [string, string]) =>
    html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`;
  return html`<label for="${name}">${label}</label>
    <select id="${name}" name="${name}">${Array.from(options, option)}</select>`;
}

export function checkbox(name: string, label: Html | string, isChecked: boolean): Html {
  return html`<label class="choice"><input type="checkbox" name="${name}" value="yes"${isChecked && html` checked`}> ${label}</label>`;
}

/** A section with a heading, to which links can lead. */
export function section(id: string, title: Html | string, content: Html, style?: string): Html {
  return html`<section${style && html` class="${style}"`} aria-labelledby="${id}-title" id="${id}"><h2 id="${id}-title">${title}</h2>
    ${content}</section>`;
}

/** The fields of a form that the user does not see. */
export function hiddenFields(fields: Iterable<readonly [name: string, value: string]>): Html[] {
  return Array.from(fields, ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);
}

export type Fact = readonly [label: string, value: Html | string | null];

/** A list of labels and values. A value of null is shown as not provided. */
export function factList(facts: readonly Fact[], width?: 'narrow'): Html {
  return html`<dl class="facts-table${width && ` ${width}`}">${facts.map(
    ([label, value]) =>
      html`<div><dt>${label}</dt><dd>${value ?? html`<span class="empty">not provided</span>`}</dd></div>`,
  )}</dl>`;
}

/** Lets a wide table scroll sideways instead of widening the page. The focus stop makes it scrollable by keyboard. */
export function scrollArea(label: string, content: Html): Html {
  return html`<div class="scroll" tabindex="0" role="group" aria-label="${label}">${content}</div>`;
}

/** A column of a table, and the content of its cell in each row. */
export interface Column<Row> {
  readonly label: string;
  readonly show: (row: Row) => Html | string | number | null | undefined | false;
  /** The heading of the column, if it differs from the label. */
  readonly heading?: Html | string;
  readonly kind?: 'number' | 'keep';
}

/** A table whose rows are cards on phones, where each cell that is not empty has its label. Columns that no row fills are left out. */
export function cardTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[], hasNames = true): Html {
  const isEmpty = (value: ReturnType<Column<Row>['show']>) =>
    value === null || value === undefined || value === '' || value === false;
  const filled = columns.filter(({ show }) => rows.length === 0 || rows.some((row) => !isEmpty(show(row))));
  const head = ({ label, heading = label, kind }: Column<Row>) =>
    html`<th scope="col"${kind === 'number' && html` class="number"`}>${heading}</th>`;
  const cell = (row: Row) => (column: Column<Row>, index: number) => {
    const value = column.show(row);
    const style = column.kind && html` class="${column.kind}"`;
    if (hasNames && index === 0) return html`<th scope="row"${style}>${value}</th>`;
    if (isEmpty(value)) return html`<td></td>`;
    return html`<td${column.label !== '' && html` data-label="${column.label}"`}${style}>${value}</td>`;
  };
  return html`<table class="stack"><thead><tr>${filled.map(head)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr>${filled.map(cell(row))}</tr>`)}</tbody></table>`;
}

export function stackTable<Row>(name: string, ...table: Parameters<typeof cardTable<Row>>): Html {
  return scrollArea(name, cardTable(...table));
}

/** The pages of a long list, such as the results of a search. */
interface Pages {
  readonly page: number;
  readonly pageCount: number;
  /** The address to which the field for a page number is sent, and the parameters that are sent with the field. */
  readonly action: string;
  readonly parameters: Iterable<readonly [name: string, value: string]>;
  addressOf(page: number): string;
}

/** Links to the first, previous, next and last page, and a field to jump to any other page. */
export function pageLinks({ page, pageCount, action, parameters, addressOf }: Pages): Html {
  const link = (target: number, text: string, rel?: string) => {
    const isReachable = target >= 1 && target <= pageCount && target !== page;
    if (!isReachable) return html`<span class="off">${text}</span>`;
    return html`<a href="${addressOf(target)}"${rel && html` rel="${rel}"`}>${text}</a>`;
  };
  return html`<nav class="paging" aria-label="Pages">
    ${link(1, 'First')}
    ${link(Math.min(page - 1, pageCount), 'Previous', 'prev')}
    <form action="${action}" method="get">
      ${hiddenFields(parameters)}
      <label for="page">Page</label>
      <input id="page" name="page" inputmode="numeric" pattern="[0-9]*" value="${page}" size="${String(pageCount).length + 1}">
      <span>of ${formatCount(pageCount)}</span>
      <button class="quiet">Go</button>
    </form>
    ${link(page + 1, 'Next', 'next')}
    ${link(pageCount, 'Last')}
  </nav>`;
}
