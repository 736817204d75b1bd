import { plainText, showText } from '../../base/display-text.ts';
import type { EntityStatus } from '../../base/entity-status.ts';
import type { EntitySummary } from '../../base/entity-summary.ts';
import { type Html, html } from '../../base/html.ts';
import {
  isList,
  listNationalKeys,
  listRecords,
  type SourceRecord,
  toRecord,
} from '../../registry/records/source-values.ts';
import type { RegisterState } from '../../registry/registry.ts';
import type { Visitor } from '../parts/layout.ts';
import {
  codeOfIndustry,
  formatDate,
  formatDay,
  nameCountry,
  nameIndustry,
  nameJurisdiction,
  showIndustry,
} from '../text/formatting.ts';
import { signInAddress } from '../visitor.ts';
import { readEnglish, type ShowMore, showParts } from './fields.ts';
import type { Provenance } from './source.ts';

export interface Summarized {
  readonly entity: EntitySummary & {
    readonly related?: readonly EntitySummary[] | null;
    readonly provenance: Provenance | null;
  };
  readonly common: SourceRecord;
  readonly registers: readonly RegisterState[];
  readonly showMore: ShowMore;
}

/** What identifies a company, and what people look up most often. */
export function recordSummary({ entity, common, registers, showMore }: Summarized): Html {
  const { registrationNumber, legalForm, legalFormClass, registeredAt, jurisdiction, provenance, isic } = entity;
  const activities = showActivities(common, isic);
  const related = entity.related ?? [];
  return html`<dl class="key-facts">
    ${fact('Registration number', registrationNumber === null ? null : copyable(registrationNumber))}
    ${fact('Legal form', showParts([legalForm ?? undefined, readEnglish(legalForm ?? undefined, toRecord(common.legalForm).labels), legalFormClass?.replaceAll('_', ' ')]))}
    ${fact('Registered since', registeredAt === null ? null : formatDate(registeredAt))}
    ${jurisdiction !== null && fact('Jurisdiction', nameJurisdiction(jurisdiction))}
    ${provenance !== null && (provenance.asOf ? fact('Data as of', formatDate(provenance.asOf)) : fact('Imported', formatDay(Date.parse(provenance.importedAt))))}
    ${fact('Address', showAddress(common), 'wide')}
    ${isic !== null && fact('Industry (ISIC)', html`<a href="/explore?isic=${isic}">${nameIndustry(isic)}</a>`, 'wide')}
    ${activities !== null && fact('Activities', activities, 'wide')}
    ${related.length > 0 && fact('Same company in other registers', showRelated(related, registers, showMore), 'wide')}
  </dl>`;
}

function fact(label: string, value: Html | string | null, width?: 'wide'): Html {
  return html`<div${width && html` class="${width}"`}><dt>${label}</dt><dd>${value ?? html`<span class="empty">not provided</span>`}</dd></div>`;
}

/** One line per line of an envelope. */
function showAddress(common: SourceRecord): Html | null {
  const lines = addressLines(toRecord(common.address));
  return lines.length === 0 ? null : html`${lines.map((line) => html`<span class="line">${showText(line)}</span>`)}`;
}

/** A text that people paste elsewhere. Without scripts the button is hidden and a click selects the text. */
export function copyable(text: string): Html {
  return html`<span class="copyable"><code>${showText(text)}</code>
    <button type="button" class="copy" data-copy aria-label="Copy ${plainText(text)}">Copy</button></span>`;
}

const MAX_ACTIVITIES = 3;

/** The first activities. An activity in two editions of a classification appears once, and so does the industry of the company. */
function showActivities(common: SourceRecord, shownIsic: string | null): Html | null {
  const activities = listRecords(common.activities);
  if (activities.length === 0) return null;
  const byName = new Map(
    activities.map((activity) => [`${activity.code} ${activity.label}`, activity] as const).reverse(),
  );
  const distinct = [...byName.values()].reverse();
  const shown = distinct.slice(0, MAX_ACTIVITIES).map(({ code, label, labels, scheme, edition, main, isic }) => {
    const classification = [scheme, edition].filter((part) => part !== undefined).join(' ');
    return html`<li>${showParts([label ?? code, readEnglish(label, labels), label !== undefined && code, classification || false, main === true && 'main'])}${isic !== undefined && codeOfIndustry(isic) !== shownIsic && html` <span class="quiet">· ISIC ${showIndustry(isic)}</span>`}</li>`;
  });
  const more = !isSummaryComplete(common) && html`<li><a href="#activities">All activities</a></li>`;
  return html`<ul>${shown}${more}</ul>`;
}

/** Whether the top of the page shows everything about the activities, so that the page needs no table of them. */
export function isSummaryComplete(common: SourceRecord): boolean {
  const activities = listRecords(common.activities);
  const isPlain =
    activities.every(({ type }) => type !== 'licensed') &&
    listNationalKeys('activities', activities).every((key) => key === 'labels');
  return isPlain && activities.length <= MAX_ACTIVITIES;
}

function showRelated(related: readonly EntitySummary[], registers: readonly RegisterState[], showMore: ShowMore): Html {
  const items = related.map(({ id, canonicalName, register, registrationNumber }) => {
    const name = registers.find((state) => state.register.id === register)?.register.name ?? register;
    return html`<li><a href="/entities/${id}">${showText(canonicalName)}</a>
      ${[registrationNumber, name].map((part) => part !== null && html` <span class="quiet">· ${showText(part)}</span>`)}</li>`;
  });
  return html`<ul>${items}</ul>${showMore('/related', items.length)}`;
}

/**
 * The lines of an address as on an envelope: street, post code and town, country. They are made from `text`, which has the order of
 * the country; the parts only say which piece of it is what. So nothing is lost if a register has no parts.
 */
export function addressLines(address: SourceRecord): string[] {
  const text = String(address.text ?? '');
  const lines = readLines(address, text);
  // Registers that publish lines put them first.
  const rest = lines.length === 0 ? text : text.slice(lines.join(SEPARATOR).length + SEPARATOR.length);
  const pieces = rest.split(SEPARATOR).filter((piece) => piece !== '');
  const written = pieces.at(-1);
  const isCountry = written !== undefined && namesCountry(address, written);
  const places = isCountry ? pieces.slice(0, -1) : pieces;
  const isTown = (piece: string) => lines.length > 0 || isPartOf(address, piece);
  const street = places.filter((piece) => !isTown(piece)).join(SEPARATOR);
  const town = joinTown(places.filter(isTown), address);
  const country = isCountry ? written : nameMissingCountry(address, lines.at(-1) ?? street);
  return [...lines, street, town, country].filter((line) => line !== '');
}

const SEPARATOR = ', ';
/** The parts of an address that belong to the line of the town. */
const TOWN_PARTS = ['postCode', 'city', 'district', 'municipality', 'region'] as const;

/** The published lines, if the text starts with them. */
function readLines({ lines = [] }: SourceRecord, text: string): string[] {
  const texts = isList(lines) ? lines.map(String) : [];
  return text.startsWith(texts.join(SEPARATOR)) ? texts : [];
}

/** `8970 Poperinge` contains the post code, `SALVADOR - BA` is the town and its region. */
function isPartOf(address: SourceRecord, piece: string): boolean {
  const { postCode } = address;
  if (postCode !== undefined && bare(piece).includes(bare(String(postCode)))) return true;
  const parts = TOWN_PARTS.flatMap((name) => address[name] ?? []).map((part) => bare(String(part)));
  return parts.reduce((left, part) => left.replace(part, ''), bare(piece)) === '';
}

/** A post code and the town after it are one: `MD-3500 Orhei`. */
function joinTown(pieces: readonly string[], { postCode = '' }: SourceRecord): string {
  const [first = '', ...others] = pieces;
  if (others.length === 0 || bare(first) !== bare(String(postCode))) return pieces.join(SEPARATOR);
  return `${first} ${others.join(SEPARATOR)}`;
}

function namesCountry({ country, countryCode }: SourceRecord, piece: string): boolean {
  const names = [country, countryCode !== undefined && nameCountry(String(countryCode))];
  return names.some((name) => name !== undefined && name !== false && bare(String(name)) === bare(piece));
}

function nameMissingCountry(address: SourceRecord, lastLine: string): string {
  const { countryCode } = address;
  if (countryCode === undefined || namesCountry(address, lastLine.split(SEPARATOR).at(-1) ?? '')) return '';
  return nameCountry(String(countryCode));
}

/** Sources write post codes with and without separators. */
export function bare(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

type Register = RegisterState['register'];

interface ActedOn {
  readonly id: string;
  readonly registrationNumber: string | null;
  readonly provenance: { readonly synthetic?: boolean | null } | null;
}

/** What a user can do with a record: prove it, take it along, and look at the page that its register has for the company. */
export function recordActions(entity: ActedOn, register: Register | undefined, visitor: Visitor): Html {
  const { id, provenance } = entity;
  const official = provenance?.synthetic ? undefined : findCompanyPage(entity, register);
  const address = (path: string) => (visitor === 'anonymous' ? signInAddress(`/entities/${id}`) : path);
  const cost = visitor === 'anonymous' ? 'Proof and JSON need a free account' : 'Proof and JSON: 1 request each';
  return html`<p class="record-actions">
    ${provenance !== null && html`<a class="button" href="${address(`/entities/${id}/proof`)}">Prove this record</a>`}
    <a class="button quiet" href="${address(`/entities/${id}/json`)}"${visitor !== 'anonymous' && html` download="${id}.json"`}>Download JSON</a>
    ${official !== undefined && html`<a class="button quiet" href="${official}" rel="noreferrer noopener">Open at ${showText(register?.publisher ?? '')}</a>`}
    ${visitor !== 'anonymous' && html`<button class="quiet" form="watch">Watch this company</button>`}
    <span class="quiet">${cost}</span>
  </p>
  ${visitor !== 'anonymous' && html`<form id="watch" method="post" action="/dashboard/monitors/watch"><input type="hidden" name="entity" value="${id}"></form>`}`;
}

/** Undefined if the register has no pages of companies. */
export function findCompanyPage(
  { registrationNumber }: Pick<ActedOn, 'registrationNumber'>,
  register: Pick<Register, 'companyPage'> | undefined,
): string | undefined {
  if (registrationNumber === null) return undefined;
  const write = (text: string) => encodeURIComponent(text);
  return register?.companyPage
    ?.replace('{number}', write(registrationNumber))
    .replace('{digits}', write(registrationNumber.replace(/[^0-9A-Za-z]/g, '')));
}

/** What the status of a company means, and what its register says. False for active companies, where it is clear. */
export function statusSentence(status: string, { status: published, endedAt }: SourceRecord): Html | false {
  const sentence = Object.hasOwn(SENTENCES, status) && SENTENCES[status as EntityStatus];
  if (!sentence) return false;
  const { label, since } = toRecord(published);
  const day = status === 'dissolved' ? (endedAt ?? since) : since;
  const details = [
    label !== undefined && html`its register says “${showText(String(label))}”`,
    day !== undefined && html`since ${formatDate(String(day))}`,
  ].filter((part) => part !== false);
  const [first, second] = details;
  return html`<p class="meaning">${sentence}${first && html` (${first}${second && html` ${second}`})`}.</p>`;
}

const SENTENCES: Readonly<Record<EntityStatus, string | false>> = {
  active: false,
  inactive: 'This company is suspended, has stopped or is not registered at present, but it has not ended',
  in_liquidation: 'This company is being wound up',
  insolvent: 'This company is in bankruptcy, administration or another insolvency procedure',
  dissolved: 'This company has ended: it was dissolved, struck off or merged into another one',
  delisted: 'This company is missing from the latest complete file of its register. This is its last known state',
  unknown: 'Whether this company is active is not known',
};
