import type { ShownParty } from '../../../parties/parties.ts';
import { isOwnerRole } from '../../../parties/roles.ts';
import type { OwnershipNode } from '../../../parties/walk.ts';
import { absenceReasons } from '../../../registers/vocabulary-values.ts';
import { type Html, html } from '../../html.ts';
import { nameCountry } from '../../text/country-name.ts';
import { showText } from '../../text/display-text.ts';
import { formatAmount, formatCount, formatDate } from '../../text/formatting.ts';
import { scrollArea } from '../scroll-area.ts';
import { ownershipChart } from './chart/chart.ts';
import type { ChartSource } from './chart/graph.ts';
import { labelledCell } from './labelled-cell.ts';
import { describeHolding, nameRole } from './party-text.ts';

/** What the page of a record shows about its group. */
export type OwnershipView = ChartSource;

/** How far owners are followed for the page. */
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
  const rows = parties.slice(0, MAX_SHOWN).map(
    (party) => html`<tr>
      <th scope="row">${nameRole(party.role)}</th>
      ${labelledCell('Who', party.absence === null ? showCompany(party) : explainAbsence(party.absence))}
      ${hasShares && labelledCell('Share', describeHolding(party.interests) || undefined)}
      ${labelledCell('Country', showCountry(party.countryCode))}${labelledCell('From', party.from === null ? null : formatDate(party.from))}
    </tr>`,
  );
  const table = html`<table class="stack"><thead><tr><th>Role</th><th>Who</th>${hasShares && html`<th>Share</th>`}<th>Country</th><th>From</th></tr></thead>
    <tbody>${rows}</tbody></table>`;
  return html`${scrollArea(label, table)}${showRest(parties.length)}`;
}

function holdingTable(companies: readonly OwnershipNode[], isCut: boolean): Html {
  const rows = companies.slice(0, MAX_SHOWN).map(
    (company) => html`<tr>
      <th scope="row">${showCompany(company)}</th>${labelledCell('Country', showCountry(company.countryCode))}
    </tr>`,
  );
  const table = html`<table class="stack"><thead><tr><th>Company</th><th>Country</th></tr></thead><tbody>${rows}</tbody></table>`;
  const total = `${isCut ? 'At least ' : ''}${formatAmount(companies.length, 'company', 'companies')} directly below this one.`;
  return html`<p>${total}</p>${scrollArea('Holdings', table)}${showRest(companies.length)}`;
}

function showRest(count: number): Html | false {
  return count > MAX_SHOWN && html`<p>The first ${MAX_SHOWN} of ${formatCount(count)}. The API has all of them.</p>`;
}

function showCompany({ entityId, name, number }: Pick<OwnershipNode, 'entityId' | 'name' | 'number'>): Html {
  const shown = html`<span dir="auto">${showText(name ?? number ?? 'not named')}</span>`;
  if (entityId !== null) return html`<a href="/entities/${entityId}">${shown}</a>`;
  return html`${shown}${number !== null && html` <span class="quiet">not in the store</span>`}`;
}

function explainAbsence({ reason, text }: NonNullable<ShownParty['absence']>): Html {
  const meaning = Object.entries(absenceReasons).find(([name]) => name === reason)?.[1] ?? reason;
  return html`None: ${meaning} <span class="quiet">${showText(text)}</span>`;
}

function showCountry(code: string | null): Html | null {
  return code === null ? null : html`${nameCountry(code)}`;
}
