import { showText } from '../../base/display-text.ts';
import { type Html, html } from '../../base/html.ts';
import { absenceReasons, heldAsTexts } from '../../registers/vocabulary.ts';
import type { OwnershipAnswer, PartyList, ShownParty } from '../../registry/parties/parties.ts';
import { isOwnerRole } from '../../registry/parties/roles.ts';
import { growTree, type Place } from '../../registry/parties/tree.ts';
import { endReasons, type OwnershipNode } from '../../registry/parties/walk.ts';
import { listNationalKeys, type SourceRecord } from '../../registry/records/source-values.ts';
import { type Fact, stackTable } from '../parts/blocks.ts';
import { statusBadge } from '../parts/search/results.ts';
import { formatAmount, formatCount, formatDate, nameCountry } from '../text/formatting.ts';
import { labelOf } from '../text/record-fields.ts';
import { keyColumns, showRole } from './fields.ts';

export interface OwnershipView {
  /** The organisation that manages the LEI of the company. Undefined if it is not in the store. */
  readonly issuer: { readonly id: string; readonly name: string } | undefined;
  readonly parties: PartyList;
  readonly owners: OwnershipAnswer;
  readonly holdings: OwnershipAnswer;
}

export const OWNER_LEVELS = 6;
/** Fewer levels than for owners, because a company has many more companies below than above itself. */
export const HOLDING_LEVELS = 3;

/** The limits of rows and places. Longer lists would make the page slow. The API has all entries. */
const MAX_ROWS = 50;
const MAX_PLACES = 150;

/** A party of the files, with its entry in the record of the company if it was read from the record. */
interface PairedParty extends ShownParty {
  readonly own: SourceRecord;
}

/** Pairs parties with their entries in the record, so that the page shows each party once. `rest` has the other entries. */
export function pairParties(parties: readonly ShownParty[], entries: readonly SourceRecord[]) {
  const rest = [...entries];
  const shown = parties.map((party): PairedParty => {
    const { absence, roleText } = party;
    const at = rest.findIndex(
      ({ name, role, roleLabel = role }) => name === (absence?.text ?? party.name) && roleLabel === roleText,
    );
    const [own = {}] = at === -1 ? [] : rest.splice(at, 1);
    return { ...party, own };
  });
  return { shown, rest };
}

/** Shows the owners, the managers and the holdings of a company: tables of the parties, and trees of the whole group. */
export function ownership(view: OwnershipView, parties: readonly PairedParty[]): Html {
  const { owners, holdings } = view;
  if (view.parties.coverage === 'not_imported')
    return html`<p class="empty">The files of owners are not imported here.</p>`;
  const named = parties.filter(({ role }) => isOwnerRole(role));
  const officers = parties.filter(({ role }) => !isOwnerRole(role));
  const above = growTree(owners, 'party');
  const below = growTree(holdings, 'company');
  const source = html`<p class="quiet">According to the register. <a href="/docs/parties">What this means</a></p>`;
  if (parties.length + below.length === 0)
    return html`<p class="empty">The register’s files name no owner. No company names this one as its owner.</p>${source}`;
  return html`${source}
    <h3 id="owners">Owners</h3>
    ${named.length === 0 ? html`<p class="empty">The register’s files name no owner.</p>` : partyTable('Owners', named, owners.nodes)}
    ${explainBoth(named)}
    ${above.some(({ next }) => next.length > 0) && showTree(above, 'Owners of the owners', 'owner')}
    ${officers.length > 0 && html`<h3 id="officers">Officers and others</h3>${partyTable('Officers and others', officers)}`}
    <h3 id="holdings">Holdings</h3>
    ${below.length === 0 ? html`<p class="empty">No company names this one as its owner.</p>` : html`${countHoldings(below, holdings.truncated)}${showTree(below, 'Companies below this one', 'company')}`}`;
}

/** Whether the imported files name an owner, a manager or a holding. */
export function hasOwnership({ parties, holdings }: OwnershipView): boolean {
  return parties.parties.length + holdings.links.length > 0;
}

/** The organisation that manages the LEI record, as a fact about the company. */
export function listIssuer(view: OwnershipView | undefined): readonly Fact[] {
  if (view?.issuer === undefined) return [];
  const { id, name } = view.issuer;
  return [['LEI issuer', html`<a href="/entities/${id}">${showText(name)}</a> manages the LEI record`]];
}

/** A tree of nested lists, which open and close without a script. */
function showTree(places: readonly Place[], title: string, one: 'owner' | 'company'): Html {
  let left = MAX_PLACES;
  const level = (members: readonly Place[]): Html => {
    const shown = members.slice(0, Math.max(0, left));
    left -= shown.length;
    const rest = members.length - shown.length;
    return html`<ul>${shown.map((place) => html`<li>${showPlace(place, one === 'company')}${place.next.length > 0 && fold(place.next)}</li>`)}
      ${rest > 0 && html`<li class="quiet">and ${formatCount(rest)} more: the API has all of them</li>`}</ul>`;
  };
  const fold = (next: readonly Place[]) =>
    html`<details open><summary>${formatAmount(next.length, one, one === 'owner' ? 'owners' : 'companies')}</summary>${level(next)}</details>`;
  return html`<div class="tree" role="group" aria-label="${title}"><p class="title">${title}</p>${level(places)}</div>`;
}

function showPlace({ node, roles, interests, from, isIndirect, inCycle, isRepeated }: Place, isBelow: boolean): Html {
  const names = roles.map(nameRole);
  const relation = isBelow ? `held by its ${names.join(' and ').toLowerCase()}` : names.join(', ');
  const facts = [
    isIndirect ? 'indirect' : relation,
    describeHolding(interests),
    from && `since ${formatDate(from)}`,
    node.countryCode && nameCountry(node.countryCode),
    inCycle && 'they own each other',
    isRepeated && 'shown above',
    !isRepeated && node.end !== null && endReasons[node.end.reason],
  ].filter((fact) => fact !== '' && fact !== null && fact !== false);
  return html`<span class="place${isIndirect && ' indirect'}">${showCompany(node)}${showStatus(node)}
    <span class="quiet">${facts.join(' · ')}</span></span>`;
}

/** Shows a status. An active company needs no badge, because most companies are active. */
function showStatus({ status }: OwnershipNode): Html | false {
  return status !== null && status !== 'active' && html` ${statusBadge(status)}`;
}

function partyTable(label: string, parties: readonly PairedParty[], nodes: readonly OwnershipNode[] = []): Html {
  const statusOf = ({ entityId }: ShownParty) =>
    nodes.find((node) => node.entityId !== null && node.entityId === entityId)?.status;
  const entries = parties.map(({ own }) => own);
  const table = stackTable(label, parties.slice(0, MAX_ROWS), [
    { label: 'Role', show: ({ role, own }) => showRole(nameRole(role), own.roleLabel) },
    {
      label: 'Who',
      show(party) {
        if (party.absence === null) return showCompany(party);
        const { reason, text } = party.absence;
        return html`None: ${describeTerm(absenceReasons, reason)} <span class="quiet">${showText(text)}</span>`;
      },
    },
    { label: 'Link', show: (party) => describeLink(party, parties) },
    { label: 'Share', show: ({ interests }) => describeHolding(interests) },
    { label: 'Since', kind: 'keep', show: ({ from }) => from && formatDate(from) },
    { label: 'Status', show: (party) => statusOf(party)?.replaceAll('_', ' ') },
    { label: 'Country', show: ({ countryCode }) => countryCode && nameCountry(countryCode) },
    ...['kind', 'number', 'until'].map((key) => ({
      label: labelOf(key),
      show: ({ own }: PairedParty) => own[key] && formatDate(String(own[key])),
    })),
    ...keyColumns(listNationalKeys('parties', entries)).map(({ label, show }) => ({
      label,
      show: ({ own }: PairedParty) => show(own),
    })),
  ]);
  return html`${table}
    ${parties.length > MAX_ROWS && html`<p>The first ${MAX_ROWS} of ${formatCount(parties.length)}. The API has all of them.</p>`}`;
}

/** Whether a parent is direct: an ultimate parent is, if it is also the parent. Undefined for other roles. */
function describeLink({ role, number, absence }: ShownParty, all: readonly ShownParty[]): string | undefined {
  if (absence !== null || !role.endsWith('parent')) return undefined;
  const isDirect = all.some((one) => one.role === 'parent' && one.absence === null && one.number === number);
  return isDirect ? 'direct' : 'indirect';
}

function countHoldings(places: readonly Place[], isCut: boolean): Html {
  const indirect = places.filter(({ isIndirect }) => isIndirect).length;
  const direct = formatAmount(places.length - indirect, 'company', 'companies');
  return html`<p>${isCut && 'At least '}${direct} directly below this one${
    indirect > 0 && `, and ${formatCount(indirect)} that name it only as the top of their group`
  }.</p>`;
}

type Named = Pick<OwnershipNode, 'entityId' | 'name' | 'number'> & Partial<Pick<ShownParty, 'kind'>>;

function showCompany({ entityId, name, number, kind }: Named): Html {
  const shown = html`<span dir="auto">${showText(name ?? number ?? 'not named')}</span>`;
  if (entityId !== null) return html`<a href="/entities/${entityId}">${shown}</a>`;
  return html`${shown}${number !== null && kind !== 'person' && html` <span class="quiet">not in the store</span>`}`;
}

const describeTerm = (texts: Readonly<Record<string, string>>, term: string) =>
  Object.hasOwn(texts, term) ? texts[term] : term;

/** Explains a contradiction: a company can name its parent in one file, and in another file a reason for naming no parent. */
function explainBoth(owners: readonly ShownParty[]): Html | false {
  const isNamed = (role: string) => owners.some((owner) => owner.role === role && owner.absence === null);
  const both = new Set(
    owners.flatMap(({ role, absence }) => (absence !== null && isNamed(role) ? [nameRole(role)] : [])),
  );
  return (
    both.size > 0 &&
    html`<p class="hint">${[...both].join(' and ')}: the register publishes an owner, and also a reason for naming none. They come from two
    statements of the company, of which one may be older. Both are shown as they are published.</p>`
  );
}

/** `ultimate_parent` → `Ultimate parent`. */
function nameRole(role: string): string {
  return role.charAt(0).toUpperCase() + role.slice(1).replaceAll('_', ' ');
}

/** The first published share, and how it is held: `25–50 %, in its own right and as a member of a firm`. Empty if neither is known. */
function describeHolding(interests: ShownParty['interests']): string {
  const ways = new Set(
    interests.map(({ heldAs }) => (heldAs === null ? 'in its own right' : describeTerm(heldAsTexts, heldAs))),
  );
  const isOwn = interests.every(({ heldAs }) => heldAs === null);
  const share = interests.map(showShare).find((text) => text !== '');
  return [share, !isOwn && [...ways].join(' and ')].filter(Boolean).join(', ');
}

function showShare({ share }: ShownParty['interests'][number]): string {
  const { exact, min, max } = (share ?? {}) as { exact?: number; min?: number; max?: number };
  if (exact !== undefined) return `${exact} %`;
  if (min === undefined) return max === undefined ? '' : `up to ${max} %`;
  return max === undefined ? `${min} % or more` : `${min}–${max} %`;
}
