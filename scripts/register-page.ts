/**
 * Renders the page of a register, `docs/registers/<cc>.md`: the head from the manifest, the lists of fields and the tables of statuses and roles from
 * experiments with the mapping, and the rest from `src/registers/<cc>/notes.md`.
 */
import { existsSync, readFileSync } from 'node:fs';
import { entityStatuses } from '../src/base/entity-status.ts';
import { fold } from '../src/base/fold.ts';
import type { Register, Source } from '../src/registers/contract.ts';
import { partyRoles, RegistryFields } from '../src/registers/vocabulary.ts';
import { findOrigins, type Origin, type Origins } from './field-origins.ts';
import { collectExamples, type Example } from './register-examples.ts';
import { renderHead } from './register-head.ts';
import { findMeanings, loadCodes, type Meaning } from './value-meanings.ts';

export interface RegisterPage {
  readonly text: string;
  /** The statuses that companies of the register can have. */
  readonly statuses: ReadonlySet<string>;
}

/** The parts of `notes.md`. */
interface Notes {
  /** The title and the first paragraph. */
  readonly intro: string;
  readonly more: string;
  readonly fields: Explained;
  readonly parties: Explained;
  readonly status: string;
  /** Every other section, with its heading. */
  readonly sections: readonly string[];
}

/** A section with explanations of fields, and its other paragraphs. */

interface Explained {
  readonly before: string;
  readonly explanations: ReadonlyMap<string, string>;
  readonly after: string;
}

export async function renderPage(register: Register): Promise<RegisterPage> {
  const notes = loadNotes(register.id);
  const examples = await collectExamples(register);
  const codes = loadCodes(register.id);
  const sources = [...examples].map(([source, list]) => {
    const isOfParties = source.parties !== undefined;
    const origins = traceFields(source, list, listKeys(register, source));
    const meanings = findMeanings(source, list, isOfParties ? 'role' : 'status', origins, codes);
    return { source, origins, meanings };
  });
  const companies = sources.filter(({ source }) => source.parties === undefined);
  const parties = sources.filter(({ source }) => source.parties !== undefined);
  const all = companies.map(({ origins }) => origins);
  const explained = new Map(notes.fields.explanations);
  const isCommon = (name: string) => name in RegistryFields.properties;
  const record = renderFields(all, '', (name) => name !== 'status', explained);
  const common = renderFields(all, 'registry.', isCommon, explained);
  const national = renderFields(all, 'registry.', (name) => !isCommon(name), explained);
  const table = renderMeanings('`status`', entityStatuses, companies);
  const text = [
    notes.intro,
    renderHead(register),
    notes.more,
    '## Record',
    notes.fields.before,
    record,
    `## \`registry\`\n\n[Common fields](fields.md):\n\n${common}`,
    national === '' ? '' : `National fields:\n\n${national}`,
    notes.fields.after,
    `## Status\n\n${table}`,
    notes.status,
    ...renderParties(parties, notes.parties),
    ...notes.sections,
  ];
  requireUsed(register.id, explained);
  const found = companies.flatMap(({ meanings }) => meanings.map(({ meaning }) => meaning));
  return {
    text: `${text
      .map((part) => part.trim())
      .filter(Boolean)
      .join('\n\n')}\n`,
    statuses: new Set(found),
  };
}

/** The columns that connect tables, by the names that cells have. */
function listKeys({ sources }: Register, main: Source<unknown>): ReadonlySet<string> {
  if (main.kind === 'tree' || main.key === undefined) return new Set();
  const others = sources.flatMap((source) => {
    if (source.kind === 'tree' || source.joins === undefined) return [];
    const { column, through = [] } = source.joins;
    return [
      ...[column].flat().map((name) => `${source.name}.${name}`),
      ...through.map((part) => `${part.source}.${part.column}`),
    ];
  });
  return new Set([...[main.key].flat(), ...others]);
}

/** The parties of some registers have their role from the column they are in, and those of others from a column for the role. */
function traceFields(source: Source<unknown>, examples: readonly Example[], keys: ReadonlySet<string>): Origins {
  const origins = findOrigins(source, examples, keys, false);
  const { from = [] } = origins.get('registry.parties[].role') ?? {};
  return from.length > 0 || !origins.has('registry.parties[].role')
    ? origins
    : findOrigins(source, examples, keys, true);
}

function renderParties(
  parties: readonly { source: Source<unknown>; origins: Origins; meanings: readonly Meaning[] }[],
  notes: Explained,
): string[] {
  if (parties.length === 0) return [];
  const explained = new Map(notes.explanations);
  const order = (origins: Origins) =>
    PARTY.flatMap((name) =>
      [...origins].filter(([path, { always }]) => path.split(/[[.]/)[0] === name && always !== 'true'),
    );
  const fields = renderFields(
    parties.map(({ origins }) => new Map(order(origins))),
    '',
    () => true,
    explained,
  );
  requireUsed('the parties', explained);
  const table = renderMeanings('`role`', Object.keys(partyRoles), parties);
  return ['## Parties', notes.before, fields, table, notes.after];
}

const PARTY = [
  'company',
  'role',
  'kind',
  'name',
  'number',
  'countryCode',
  'interests',
  'from',
  'until',
  'current',
  'absence',
];

function requireUsed(what: string, explained: ReadonlyMap<string, string>): void {
  const [name] = explained.keys();
  if (name !== undefined) throw new Error(`notes.md of ${what} explains "${name}", which no record has`);
}

/** A line for each field, with the explanation, which is removed from the map. */
function renderFields(
  sources: readonly Origins[],
  prefix: string,
  isShown: (name: string) => boolean,
  explained: Map<string, string>,
): string {
  const fields = new Map<string, Map<string, Map<string, Origin[]>>>();
  for (const origins of sources) {
    for (const [path, origin] of origins) {
      if (prefix === '' ? path.startsWith('registry.') : !path.startsWith(prefix)) continue;
      const [, name = '', type = '', part = ''] = FIELD.exec(path.slice(prefix.length)) ?? [];
      if (!isShown(name)) continue;
      const types = fields.getOrInsertComputed(name, () => new Map());
      const found = types.getOrInsertComputed(type, () => new Map());
      found.getOrInsertComputed(part, () => []).push(origin);
    }
  }
  const lines: { line: string; plain?: string }[] = [];
  for (const [name, types] of fields) {
    const explanation = explained.get(name) ?? '';
    explained.delete(name);
    const [parts] = types.values();
    // The summary of a record has the label of the legal form, or else the code.
    const own = parts?.size === 1 && name === 'legalForm' ? [...parts.values()][0] : parts?.get('');
    const scalar = types.size === 1 ? own : undefined;
    if (name === 'status' && parts !== undefined) types.set('', shortenStatus(parts));
    const columns = scalar === undefined ? renderTypes(types) : writeOrigins(scalar, '').text;
    const start = explanation.slice(0, 1);
    const more = scalar === undefined ? `. ${start.toUpperCase()}${explanation.slice(1)}` : `: ${explanation}`;
    if (columns === '' && explanation === '') continue;
    const line = `- \`${name}\`: ${[columns, explanation === '' || columns === '' ? explanation : more].join('')}`;
    lines.push({ line, ...(scalar !== undefined && explanation === '' && { plain: `\`${name}\` (${columns})` }) });
  }
  return joinPlain(lines).map(wrap).join('\n');
}

/** Fields in a row that have only columns share a line. */
function joinPlain(lines: readonly { readonly line: string; readonly plain?: string }[]): string[] {
  const joined: string[] = [];
  for (let start = 0; start < lines.length; ) {
    const count = lines.slice(start).findIndex(({ plain }) => plain === undefined);
    const run = lines.slice(start, count === -1 ? undefined : start + count);
    if (run.length > 1) joined.push(`- ${run.map(({ plain }) => plain).join(', ')}`);
    else joined.push(...run.map(({ line }) => line));
    const next = lines[start + run.length];
    if (next !== undefined) joined.push(next.line);
    start += run.length + 1;
  }
  return joined;
}

/** The table of statuses has the columns that decide about the status. */
function shortenStatus(parts: Parts): Map<string, Origin[]> {
  const see = '[Status](#status)';
  return new Map(
    Array.from(parts, ([part, origins]) => {
      const isLong = new Set(origins.flatMap(listColumns)).size > MAX_COLUMNS;
      return [part, isLong ? [{ from: [], by: [], always: see }] : [...origins]];
    }),
  );
}
const MAX_COLUMNS = 3;

/** `registry.addresses[postal].city` */
const FIELD = /^([^.[]+)(?:\[([^\]]*)\])?\.?(.*)$/;

type Parts = ReadonlyMap<string, readonly Origin[]>;

/** Types of items that come from the same columns share their description. */
function renderTypes(types: ReadonlyMap<string, Parts>): string {
  const merged: { names: string[]; parts: Map<string, readonly Origin[]> }[] = [];
  for (const [type, all] of types) {
    let parts = all;
    const shared = merged.find((one) =>
      [...parts].some(([part, origins]) => sharesColumn(one.parts.get(part) ?? [], origins)),
    );
    const target = shared ?? { names: [], parts: new Map<string, readonly Origin[]>() };
    if (shared === undefined) merged.push(target);
    if (type !== '') {
      target.names.push(`\`${type}\``);
      parts = new Map([...parts].filter(([part]) => part !== 'type'));
    }
    for (const [part, origins] of parts) target.parts.set(part, [...(target.parts.get(part) ?? []), ...origins]);
  }
  return merged
    .map(({ names, parts }) => [names.join(', '), renderParts(joinNested(parts))].filter(Boolean).join(': '))
    .filter(Boolean)
    .join('; ');
}

function sharesColumn(some: readonly Origin[], others: readonly Origin[]): boolean {
  return some.some((one) => others.some((other) => one.from.some((column) => other.from.includes(column))));
}

/** Of an object inside an object, such as the address of a branch, only the columns are listed. */
function joinNested(parts: Parts): Parts {
  const joined = new Map<string, Origin[]>();
  for (const [part, origins] of parts) {
    const [name = '', ...inner] = part.split(/\[\w*\]\.?|\./).filter(Boolean);
    const known = joined.getOrInsertComputed(name, () => []);
    if (inner.length === 0) known.push(...origins);
    else if (!/^text|numberValid/.test(inner.join('.')))
      known.push(...origins.filter(({ always }) => always === undefined).map(({ from }) => ({ from, by: [] })));
  }
  for (const [name, origins] of joined) {
    if (
      origins.every(({ by, always }) => by.length === 0 && always === undefined) &&
      !parts.has(name) &&
      !parts.has(`${name}[]`)
    )
      joined.set(name, [{ from: [...new Set(origins.flatMap(({ from }) => from))], by: [] }]);
  }
  return joined;
}

/** Parts that say nothing about the source, or that only a search uses. */
const UNSAID = new Set(['numberValid', 'written', 'otherLabels']);
/** Parts that matter only if a column has them. */
const USUAL = new Set(['type', 'authority']);

function renderParts(parts: Parts): string {
  const isText = (part: string) => part.startsWith('text');
  const used = new Set([...parts].flatMap(([part, origins]) => (isText(part) ? [] : origins.flatMap(listColumns))));
  const shown = [...parts].flatMap(([part, origins]): [string, readonly Origin[]][] => {
    if (UNSAID.has(part) || (USUAL.has(part) && origins.some(({ always }) => always !== undefined))) return [];
    const own = isText(part) ? origins.map((origin) => without(origin, used)) : origins;
    const merged = mergeOrigins(own);
    return merged.every((origin) => origin.always === undefined && origin.from.length === 0) ? [] : [[part, merged]];
  });
  const holders = findHolders(shown.flatMap(([, origins]) => origins.flatMap(listColumns)));
  if (holders.length > 1) {
    const short = new Map(shown.map(([part, origins]) => [part, origins.map(shortenColumns)] as const));
    return `${writeColumns(holders, '').text} with ${renderParts(short)}`;
  }
  const shared = findShared(shown.map(([, origins]) => origins));
  const alike = Map.groupBy(shown, ([, origins]) => JSON.stringify(origins));
  let last = '';
  const written = Array.from(alike.values(), (group) => {
    const [[, origins] = ['', []]] = group;
    const { text, column } = writeOrigins(
      origins.map((origin) => ({ ...origin, by: without(origin, shared).by })),
      last,
    );
    last = column;
    const names = group.map(([part]) => `\`${part}\``).join(', ');
    return group[0]?.[0] === '' ? text : `${names} (${text})`;
  });
  return `${written.join(', ')}${shared.size > 0 ? `, by ${writeColumns([...shared], '').text}` : ''}`;
}

/** The objects that have the columns, if several of them have columns of the same names. */
function findHolders(columns: readonly string[]): readonly string[] {
  const distinct = new Set(columns);
  const names = new Set(columns.map((column) => column.slice(column.lastIndexOf('.'))));
  const isHeld = columns.every((column) => column.lastIndexOf('.') > 0);
  return isHeld && names.size > 3 && distinct.size > names.size * 1.5
    ? [...new Set(columns.map((column) => column.slice(0, column.lastIndexOf('.'))))]
    : [];
}

function shortenColumns({ from, by, ...rest }: Origin): Origin {
  const shorten = (columns: readonly string[]) => columns.map((column) => column.slice(column.lastIndexOf('.')));
  const columns = new Set(shorten(from));
  return { ...rest, from: [...columns], by: [...new Set(shorten(by))].filter((column) => !columns.has(column)) };
}

function listColumns({ from, by }: Origin): string[] {
  return [...from, ...by];
}

function without({ from, by, ...rest }: Origin, columns: ReadonlySet<string>): Origin {
  const keep = (list: readonly string[]) => list.filter((column) => !columns.has(column));
  return { ...rest, from: keep(from), by: keep(by) };
}

/** The columns that decide about most parts of an object decide about the object. */
function findShared(parts: readonly (readonly Origin[])[]): ReadonlySet<string> {
  const sets = parts.flatMap((origins) =>
    origins.some(({ always }) => always !== undefined) ? [] : [new Set(origins.flatMap(({ by }) => by))],
  );
  const columns = new Set(sets.flatMap((by) => [...by]));
  const countParts = (column: string) => sets.filter((by) => by.has(column)).length;
  return new Set([...columns].filter((column) => sets.length > 1 && countParts(column) * 2 > sets.length));
}

/** The columns of each kind of file, if they differ. A column that continues the one before it is written from its last dot. */
function writeOrigins(origins: readonly Origin[], last: string): { text: string; column: string } {
  const texts = new Set<string>();
  let column = last;
  for (const { from, by, always } of mergeOrigins(origins)) {
    if (always !== undefined) texts.add(always.startsWith('[') ? `see ${always}` : `always \`${always}\``);
    else {
      const written = writeColumns(from, column);
      const deciding = by.length === 0 ? null : writeColumns(by, written.column);
      texts.add(deciding === null ? written.text : `${written.text}, by ${deciding.text}`);
      column = deciding?.column ?? written.column;
    }
  }
  return { text: [...texts].join(' / '), column };
}

/** Files whose columns have the same names share their description. A text is always the same only if no file has a column for it. */
function mergeOrigins(origins: readonly Origin[]): readonly Origin[] {
  const merged: { from: string[]; by: string[] }[] = [];
  for (const { from, by, always } of origins) {
    if (always !== undefined) continue;
    const isSame = (one: string, other: string) =>
      one === other || one.endsWith(`.${other}`) || other.endsWith(`.${one}`);
    const alike = merged.find(
      (one) => from.length === 0 || from.some((column) => one.from.some((known) => isSame(known, column))),
    );
    if (alike === undefined) merged.push({ from: [...from], by: [...by] });
    else {
      for (const column of from) if (!alike.from.some((known) => isSame(known, column))) alike.from.push(column);
      for (const column of by)
        if (![...alike.from, ...alike.by].some((known) => isSame(known, column))) alike.by.push(column);
    }
  }
  const known = merged.filter(({ from }) => from.length > 0);
  return known.length > 0 ? known : origins;
}

function writeColumns(columns: readonly string[], last: string): { text: string; column: string } {
  let column = last;
  const texts = numberColumns(columns).map((name) => {
    const dot = name.lastIndexOf('.') + 1;
    const isContinued = dot > 1 && column.startsWith(name.slice(0, dot)) && column.lastIndexOf('.') + 1 === dot;
    column = name;
    return `\`${(isContinued ? name.slice(dot - 1) : name).trim()}\``;
  });
  return { text: texts.join(', '), column };
}

/** Columns that differ in a number are written once, with `#`. */
function numberColumns(columns: readonly string[]): string[] {
  const groups = Map.groupBy(columns, (column) => column.replace(/\d+(?!.*\d)/, '#'));
  return Array.from(groups, ([pattern, [first = '', ...others]]) => (others.length > 0 ? pattern : first));
}

function renderMeanings(
  title: string,
  order: readonly string[],
  sources: readonly { source: Source<unknown>; meanings: readonly Meaning[] }[],
): string {
  const columns = sources.map(({ meanings }) => [...new Set(meanings.map(({ column }) => column))]);
  const isSingle = columns.every((list) => list.length === 1 && list[0] !== null);
  const rows = order.flatMap((name) => {
    const cells = new Map<string, Map<string, string>>();
    for (const { source, meanings } of sources) {
      for (const { meaning, column, texts } of meanings) {
        if (meaning !== name) continue;
        const key = isSingle || column === null ? '' : `\`${column}\``;
        const every = sources.length > 1 ? `every row of \`${source.name}\`` : 'every row';
        const known = cells.getOrInsertComputed(key, () => new Map());
        for (const text of texts.length === 0 ? [every] : texts) known.getOrInsert(fold(text), text);
      }
    }
    const alike = Map.groupBy(cells, ([, texts]) => [...texts.keys()].sort().join());
    const texts = Array.from(alike.values(), (group) => {
      const keys = group.map(([key]) => key).filter(Boolean);
      return [keys.join(' / '), joinTexts([...(group[0]?.[1].values() ?? [])])].filter(Boolean).join(': ');
    });
    return cells.size === 0 ? [] : [`- \`${name}\`: ${texts.join('; ')}`];
  });
  const names = numberColumns([...new Set(columns.flat())].filter((column) => column !== null)).map(
    (column) => `\`${column}\``,
  );
  const start = isSingle ? `${title} by ${names.join(' / ')}:\n\n` : '';
  return `${start}${rows.join('\n')}`;
}

/** Codes that follow each other are written as a range. */
function joinTexts(texts: readonly string[]): string {
  const isNumber = texts.every((text) => /^`\d+`$/.test(text));
  if (!isNumber) return texts.join(', ');
  const numberOf = (text = '') => Number(text.slice(1, -1));
  const ranges: string[][] = [];
  for (const text of texts.toSorted((one, other) => numberOf(one) - numberOf(other))) {
    const last = ranges.at(-1);
    if (last !== undefined && numberOf(text) === numberOf(last.at(-1)) + 1) last.push(text);
    else ranges.push([text]);
  }
  return ranges.map((range) => (range.length > 2 ? `${range[0]} to ${range.at(-1)}` : range.join(', '))).join(', ');
}

function loadNotes(id: string): Notes {
  const path = new URL(`../src/registers/${id}/notes.md`, import.meta.url);
  if (!existsSync(path))
    throw new Error(`add src/registers/${id}/notes.md, which says what the table of the register cannot say`);
  // Links of the notes are seen from their own folder.
  const written = readFileSync(path, 'utf8').replaceAll('](../../../docs/', '](../');
  const [head = '', ...sections] = written.split(/^(?=## )/m);
  const [title = '', intro = '', ...more] = head.trim().split('\n\n');
  const take = (name: string) =>
    sections
      .find((text) => text.startsWith(`## ${name}\n`))
      ?.slice(name.length + 4)
      .trim() ?? '';
  const isOwn = (text: string) => !['Fields', 'Status', 'Parties'].some((name) => text.startsWith(`## ${name}\n`));
  return {
    intro: `${title}\n\n${intro}`,
    more: more.join('\n\n'),
    fields: parseExplanations(take('Fields')),
    parties: parseExplanations(take('Parties')),
    status: take('Status'),
    sections: sections.filter(isOwn),
  };
}

/** A line "- `field`: explanation" belongs to the field. */
function parseExplanations(text: string): Explained {
  const explanations = new Map<string, string>();
  const start = text.search(EXPLANATION);
  const after = text.slice(start).replaceAll(EXPLANATION, (_, name: string, explanation: string) => {
    explanations.set(name, explanation.replaceAll(/\n\s+/g, ' '));
    return '';
  });
  return start === -1
    ? { before: text, explanations, after: '' }
    : { before: text.slice(0, start), explanations, after };
}

const EXPLANATION = /^- `(\w+)`: (.+(?:\n {2}.+)*)\n?/gm;

const WIDTH = 150;

function wrap(text: string): string {
  let line = 0;
  return text
    .split(' ')
    .map((word, at) => {
      const isNew = at > 0 && line + word.length > WIDTH;
      line = isNew ? word.length + 2 : line + word.length + 1;
      return at === 0 ? word : isNew ? `\n  ${word}` : ` ${word}`;
    })
    .join('');
}
