import { absenceReasons, heldAsTexts } from '../../../registers/vocabulary-values.ts';
import type { ShownParty } from '../../../registry/parties/parties.ts';
import { isOwnerRole } from '../../../registry/parties/roles.ts';
import { type EndReason, endReasons, type OwnershipNode } from '../../../registry/parties/walk.ts';
import { type Html, html } from '../../html.ts';
import { plainText, showText } from '../../text/display-text.ts';
import { formatAmount, formatCount, formatDate, nameCountry } from '../../text/formatting.ts';
import { type Column, scrollArea, stackTable } from '../blocks.ts';
import { type Box, type Chart, type ChartLink, type ChartSource, createChart } from './chart/graph.ts';
import {
  BOX,
  estimateWidth,
  fitText,
  type Layout,
  type Line,
  layOut,
  type PlacedBox,
  type Point,
} from './chart/layout.ts';

export type OwnershipView = ChartSource;

export const OWNER_LEVELS = 6;

/** Longer lists make a page slow. The API has all of them. */
const MAX_SHOWN = 50;

/** Who owns the company, who manages it and what it owns: drawn, and as lists. */
export function ownership(view: OwnershipView): Html {
  const { parties, holdings } = view;
  if (parties.coverage === 'not_imported') return html`<p class="empty">The files of owners are not imported here.</p>`;
  const below = holdings.nodes.filter(({ depth }) => depth === 1);
  const owners = parties.parties.filter(({ role }) => isOwnerRole(role));
  const officers = parties.parties.filter(({ role }) => !isOwnerRole(role));
  return html`<p class="quiet">According to the register. <a href="/docs/parties">What this means</a></p>
    ${ownershipChart(view)}
    <h3 id="owners">Owners</h3>
    ${owners.length === 0 ? html`<p class="empty">The files name no owner and no reason for that.</p>` : partyTable('Owners', owners)}
    ${officers.length > 0 && html`<h3 id="officers">Officers and others</h3>${partyTable('Officers and others', officers)}`}
    <h3 id="holdings">Holdings</h3>
    ${below.length === 0 ? html`<p class="empty">No company names this one as its owner.</p>` : holdingTable(below, holdings.truncated)}`;
}

function partyTable(label: string, parties: readonly ShownParty[]): Html {
  const hasShares = parties.some(({ interests }) => describeHolding(interests) !== '');
  const share: Column<ShownParty> = { label: 'Share', show: ({ interests }) => describeHolding(interests) };
  const table = stackTable(label, parties.slice(0, MAX_SHOWN), [
    { label: 'Role', show: ({ role }) => nameRole(role) },
    { label: 'Who', show: (party) => (party.absence === null ? showCompany(party) : showAbsence(party.absence)) },
    ...(hasShares ? [share] : []),
    { label: 'Country', show: showCountry },
    { label: 'From', show: ({ from }) => from && formatDate(from) },
  ]);
  return html`${table}${showRest(parties.length)}`;
}

function holdingTable(companies: readonly OwnershipNode[], isCut: boolean): Html {
  const table = stackTable('Holdings', companies.slice(0, MAX_SHOWN), [
    { label: 'Company', show: showCompany },
    { label: 'Country', show: showCountry },
  ]);
  const total = `${isCut ? 'At least ' : ''}${formatAmount(companies.length, 'company', 'companies')} directly below this one.`;
  return html`<p>${total}</p>${table}${showRest(companies.length)}`;
}

function showRest(count: number): Html | false {
  return count > MAX_SHOWN && html`<p>The first ${MAX_SHOWN} of ${formatCount(count)}. The API has all of them.</p>`;
}

function showCompany({ entityId, name, number }: Pick<OwnershipNode, 'entityId' | 'name' | 'number'>): Html {
  const shown = html`<span dir="auto">${showText(name ?? number ?? 'not named')}</span>`;
  if (entityId !== null) return html`<a href="/entities/${entityId}">${shown}</a>`;
  return html`${shown}${number !== null && html` <span class="quiet">not in the store</span>`}`;
}

const describeTerm = (texts: Readonly<Record<string, string>>, term: string) =>
  Object.hasOwn(texts, term) ? texts[term] : term;

const showAbsence = ({ reason, text }: NonNullable<ShownParty['absence']>) =>
  html`None: ${describeTerm(absenceReasons, reason)} <span class="quiet">${showText(text)}</span>`;

function showCountry({ countryCode }: Pick<OwnershipNode, 'countryCode'>): string | null {
  return countryCode && nameCountry(countryCode);
}

/** `ultimate_parent` → `Ultimate parent`. */
function nameRole(role: string): string {
  return role.charAt(0).toUpperCase() + role.slice(1).replaceAll('_', ' ');
}

/** The first share, and how it is held if that is known: `25–50 %, in its own right and as a member of a firm`. Empty if neither is. */
function describeHolding(interests: ShownParty['interests']): string {
  const ways = new Set(
    interests.map(({ heldAs }) => (heldAs === null ? 'in its own right' : describeTerm(heldAsTexts, heldAs))),
  );
  const isOwn = interests.every(({ heldAs }) => heldAs === null);
  return [...showShare(interests), ...(isOwn ? [] : [[...ways].join(' and ')])].join(', ');
}

/** The first share that is published, such as `25–50 %`. */
function showShare(interests: ShownParty['interests']): string[] {
  for (const { share } of interests) {
    const { exact, min, max } = (share ?? {}) as { exact?: number; min?: number; max?: number };
    if (exact !== undefined) return [`${exact} %`];
    if (min !== undefined && max !== undefined) return [`${min}–${max} %`];
    if (min !== undefined) return [`${min} % or more`];
    if (max !== undefined) return [`up to ${max} %`];
  }
  return [];
}

const MAX_COLUMNS = 4;

/** The owners and holdings of a company as a drawing. False if it has none. The tables beside it say the same in words. */
function ownershipChart(source: ChartSource): Html | false {
  const chart = createChart(source);
  if (chart.links.length === 0) return false;
  const wide = layOut(chart, MAX_COLUMNS);
  const narrow = layOut(chart, 1);
  // Style sheets show one of them. A chart that is narrow anyway is drawn once.
  const drawing =
    wide.width === narrow.width
      ? draw(chart, wide, 'chart')
      : html`<div class="wide">${draw(chart, wide, 'chart')}</div><div class="narrow">${draw(chart, narrow, 'chart-narrow')}</div>`;
  return html`<figure class="owners">${scrollArea('Ownership chart', drawing)}${explainLines(chart.links)}</figure>`;
}

function explainLines(links: readonly ChartLink[]): Html | false {
  const notes = [
    ...(links.some(({ inCycle }) => inCycle) ? ['Highlighted lines: companies that own each other.'] : []),
    ...(links.some(isIndirect) ? ['Dashed lines: not the direct parent.'] : []),
  ];
  return notes.length > 0 && html`<figcaption class="quiet">${notes.join(' ')}</figcaption>`;
}

function isIndirect({ roles }: ChartLink): boolean {
  return roles.length === 1 && roles[0] === 'ultimate_parent';
}

function draw(chart: Chart, { width, height, boxes, lines }: Layout, id: string): Html {
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${Math.ceil(width)}" height="${Math.ceil(height)}" viewBox="0 0 ${Math.ceil(width)} ${Math.ceil(height)}" role="group" aria-labelledby="${id}-title" aria-describedby="${id}-text">
    <title id="${id}-title">Ownership chart of ${readName(chart.boxes[0])}</title>
    <desc id="${id}-text">${describe(chart)}</desc>
    <g aria-hidden="true">${lines.map(drawLine)}</g>${boxes.map((placed, index) => drawBox(placed, findRoles(chart, index)))}</svg>`;
}

function describe({ boxes, links }: Chart): string {
  const count = (isCounted: (box: Box) => boolean) => boxes.filter(isCounted).reduce((sum, box) => sum + box.count, 0);
  const owners = count(({ level }) => level > 0);
  const holdings = count(({ level }) => level < 0);
  const cycle = links.some(({ inCycle }) => inCycle) ? ' Some of them own each other.' : '';
  return `${formatAmount(owners, 'owner')} above and ${formatAmount(holdings, 'company', 'companies')} directly below.${cycle} The tables below have the same.`;
}

function readName(box: Box | undefined): string {
  return plainText((box?.name ?? 'not named').slice(0, 300));
}

/** What an owner is to the company that leads to it, and what the company below names this one as. */
function findRoles({ links, boxes }: Chart, index: number): ChartLink | undefined {
  const isBelow = (boxes[index]?.level ?? 0) < 0;
  return links.find(({ company, party }) => (isBelow ? company : party) === index && index !== 0);
}

function drawLine({ link, points }: Line): Html {
  const kind = link.inCycle ? 'cyclic' : isIndirect(link) || link.roles.length === 0 ? 'indirect' : '';
  return html`<path class="${kind}" d="${writePath(points)}"/><path class="head ${kind}" d="${writeHead(points)}"/>`;
}

const RADIUS = 7;

function writePath(points: readonly Point[]): string {
  const corners = points.filter(([x, y], at) => at === 0 || x !== points[at - 1]?.[0] || y !== points[at - 1]?.[1]);
  const steps = corners.map((point, at) => {
    const [before, after] = [corners[at - 1], corners[at + 1]];
    if (before === undefined) return `M${point.join(' ')}`;
    const isStraight = [0, 1].some((axis) => before[axis] === point[axis] && point[axis] === after?.[axis]);
    if (after === undefined || isStraight) return `L${point.join(' ')}`;
    return `L${approach(before, point).join(' ')}Q${point.join(' ')} ${approach(after, point).join(' ')}`;
  });
  return steps.join('');
}

/** The point on the way from one to the other where the curve begins. */
function approach([fromX, fromY]: Point, [x, y]: Point): Point {
  const length = Math.abs(fromX - x) + Math.abs(fromY - y);
  const part = Math.min(RADIUS, length / 2) / length;
  return [round(x + (fromX - x) * part), round(y + (fromY - y) * part)];
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Points at the company: from above, or from the left. */
function writeHead(points: readonly Point[]): string {
  const [[fromX], [x, y]] = points.slice(-2) as [Point, Point];
  return fromX === x ? `M${x - 4} ${y - 7}h8l-4 6z` : `M${x - 7} ${y - 4}v8l6 -4z`;
}

const NAME_WIDTH = (BOX.width - 36) / 14;
const TEXT_WIDTH = (BOX.width - 20) / 12;

function drawBox({ box, x, y }: PlacedBox, link: ChartLink | undefined): Html {
  const center = x + BOX.width / 2;
  const kind = box.level === 0 ? 'self' : box.kind === 'company' && box.entityId === null ? 'missing' : box.kind;
  const name = box.kind === 'more' ? [`and ${formatCount(box.count)} more`] : fitText(readName(box), NAME_WIDTH, 2);
  const details = fitText(listDetails(box, link), TEXT_WIDTH, 1);
  const first = y + BOX.height / 2 + 5 - (name.length - 1) * 8.5 - details.length * 9;
  const content = html`<rect x="${x + 0.5}" y="${y + 0.5}" width="${BOX.width - 1}" height="${BOX.height - 1}" rx="${box.kind === 'person' ? BOX.height / 2 : 9}"/>
    ${name.map((line, at) => html`<text x="${center}" y="${first + at * 17}">${line}</text>`)}
    ${details.map((line) => html`<text class="quiet" x="${center}" y="${first + name.length * 17 + 2}">${line}</text>`)}`;
  const title = box.kind !== 'more' && html`<title>${readName(box)}</title>`;
  const target =
    box.kind === 'more'
      ? box.level > 0
        ? '#owners'
        : '#holdings'
      : box.level !== 0 && box.entityId && `/entities/${box.entityId}`;
  const drawn = target ? html`<a href="${target}">${title}${content}</a>` : html`${title}${content}`;
  return html`<g class="box ${kind}">${drawn}${box.end !== null && drawEnd(box.end.reason, center, y)}</g>`;
}

function listDetails({ level, kind, status, countryCode }: Box, link: ChartLink | undefined): string {
  if (kind === 'more') return level > 0 ? 'owners' : 'companies';
  const roles =
    level === 0
      ? ['This company']
      : level > 0
        ? (link?.roles.map(nameRole) ?? [])
        : link && isIndirect(link)
          ? ['Indirect']
          : [];
  const state = status === null || status === 'active' ? [] : [nameRole(status)];
  const country = countryCode === null ? [] : [nameCountry(countryCode)];
  return [...roles.slice(0, 1), ...showShare(link?.interests ?? []), ...state, ...country].join(' · ');
}

const ENDS: Readonly<Record<string, string>> = {
  person: 'Natural persons',
  no_number: 'Owner without a number',
  no_parent: 'No parent',
  not_disclosed: 'Owner not disclosed',
  not_identified: 'Owner not identified',
  no_answer: 'Owner did not answer',
  exempt: 'Need not name its owner',
  protected: 'Owner is protected',
  not_found: 'Not in the store',
  not_in_files: 'Owner not in the files',
  persons_not_kept: 'No organisation as owner',
  depth: 'Goes on',
  limit: 'Goes on',
};

function drawEnd(reason: EndReason, center: number, y: number): Html {
  const text = ENDS[reason] ?? nameRole(reason);
  const width = Math.ceil(estimateWidth(text) * 12 + 24);
  return html`<g class="end"><title>${endReasons[reason] ?? text}</title>
    <rect x="${center - width / 2}" y="${y - 15.5}" width="${width}" height="20" rx="10"/><text x="${center}" y="${y - 1.5}">${text}</text></g>`;
}
