import { plainText, showText } from '../../base/display-text.ts';
import type { EntityStatus } from '../../base/entity-status.ts';
import type { EntitySummary } from '../../base/entity-summary.ts';
import { type Html, html } from '../../base/html.ts';
import { addressLines } from '../../registry/records/address-lines.ts';
import { listNationalKeys, listRecords, type SourceRecord, toRecord } from '../../registry/records/source-values.ts';
import type { RegisterState } from '../../registry/registry.ts';
import type { Visitor } from '../parts/layout.ts';
import {
  codeOfIndustry,
  formatDate,
  formatDay,
  nameIndustry,
  nameJurisdiction,
  showIndustry,
} from '../text/formatting.ts';
import { signInAddress } from '../visitor.ts';
import { readEnglish, type ShowMore, showParts } from './fields.ts';
import type { Provenance } from './source.ts';

export interface Summarized extends EntitySummary {
  readonly related?: readonly EntitySummary[] | null;
  readonly provenance: Provenance | null;
}

/** The facts that identify a company, and the facts that people look up most often. */
export function recordSummary(
  entity: Summarized,
  common: SourceRecord,
  registers: readonly RegisterState[],
  showMore: ShowMore,
): Html {
  const { registrationNumber, legalForm, legalFormClass, registeredAt, jurisdiction, provenance, isic } = entity;
  const activities = showActivities(common, isic);
  const related = entity.related ?? [];
  const address = addressLines(toRecord(common.address)).map(
    (line) => html`<span class="line">${showText(line)}</span>`,
  );
  const form = [legalForm ?? undefined, readEnglish(legalForm ?? undefined, toRecord(common.legalForm).labels)];
  return html`<dl class="key-facts">
    ${fact('Registration number', registrationNumber === null ? null : copyable(registrationNumber))}
    ${fact('Legal form', showParts([...form, legalFormClass?.replaceAll('_', ' ')]))}
    ${fact('Registered since', registeredAt === null ? null : formatDate(registeredAt))}
    ${jurisdiction !== null && fact('Jurisdiction', nameJurisdiction(jurisdiction))}
    ${provenance !== null && (provenance.asOf ? fact('Data as of', formatDate(provenance.asOf)) : fact('Imported', formatDay(Date.parse(provenance.importedAt))))}
    ${fact('Address', address.length === 0 ? null : html`${address}`)}
    ${isic !== null && fact('Industry (ISIC)', html`<a href="/explore?isic=${isic}">${nameIndustry(isic)}</a>`, 'wide')}
    ${activities !== null && fact('Activities', activities, 'wide')}
    ${related.length > 0 && fact('Same company in other registers', showRelated(related, registers, showMore), 'wide')}
  </dl>`;
}

function fact(label: string, value: Html | string | null, width?: 'wide'): Html {
  return html`<div${width && html` class="${width}"`}><dt>${label}</dt><dd>${value ?? html`<span class="empty">not provided</span>`}</dd></div>`;
}

/** A text with a button to copy it. Without scripts, the button is hidden and a click selects the text. */
export function copyable(text: string): Html {
  return html`<span class="copyable"><code>${showText(text)}</code>
    <button type="button" class="copy" data-copy aria-label="Copy ${plainText(text)}">Copy</button></span>`;
}

const MAX_ACTIVITIES = 3;

/** Shows the first activities. An activity in two editions of a classification appears once; so does the industry of the company. */
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

type Register = RegisterState['register'];

/** Links to the actions for a record: prove it, open its JSON, or open the company's page in the register. */
export function recordActions(
  entity: Pick<Summarized, 'id' | 'registrationNumber' | 'provenance'>,
  register: Register | undefined,
  visitor: Visitor,
): Html {
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

/** The address of a company's page in its register. Undefined if the register has no pages of companies. */
export function findCompanyPage(
  { registrationNumber }: Pick<Summarized, 'registrationNumber'>,
  register: Pick<Register, 'companyPage'> | undefined,
): string | undefined {
  if (registrationNumber === null) return undefined;
  const write = (text: string) => encodeURIComponent(text);
  return register?.companyPage
    ?.replace('{number}', write(registrationNumber))
    .replace('{digits}', write(registrationNumber.replace(/[^0-9A-Za-z]/g, '')));
}

/** Explains the status of a company, with the words of its register. False for active companies, whose status needs no explanation. */
export function statusSentence(status: string, { status: published, endedAt }: SourceRecord): Html | false {
  const sentence = Object.hasOwn(SENTENCES, status) && SENTENCES[status as EntityStatus];
  if (!sentence) return false;
  const { label, since } = toRecord(published);
  const day = status === 'dissolved' ? (endedAt ?? since) : since;
  const says = label !== undefined && html`its register says “${showText(String(label))}”`;
  const from = day !== undefined && html`since ${formatDate(String(day))}`;
  return html`<p class="meaning">${sentence}${(says || from) && html` (${says}${says && from && ' '}${from})`}.</p>`;
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
