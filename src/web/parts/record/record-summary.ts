import type { EntitySummary } from '../../../core/entity-summary.ts';
import type { RegisterState } from '../../../registry/registry.ts';
import { type Html, html } from '../../html.ts';
import { addressLines } from '../../text/address-lines.ts';
import { plainText, showText } from '../../text/display-text.ts';
import { formatDate, formatDay } from '../../text/formatting.ts';
import { codeOfIndustry, nameIndustry, showIndustry } from '../../text/industry.ts';
import { listNationalKeys, listRecords, readRecord, type SourceRecord } from '../../text/registry-split.ts';
import { readEnglish, showParts } from './coded-value.ts';
import type { ShowMore } from './more-link.ts';
import type { Provenance } from './provenance-facts.ts';

/** What the top of a record's page is made from. */
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
  const { registrationNumber, legalForm, legalFormClass, registeredAt, provenance, isic } = entity;
  const activities = showActivities(common, isic);
  const related = entity.related ?? [];
  return html`<dl class="key-facts">
    ${fact('Registration number', registrationNumber === null ? null : copyable(registrationNumber))}
    ${fact('Legal form', showParts([legalForm ?? undefined, readEnglish(legalForm ?? undefined, readRecord(common.legalForm).labels), legalFormClass?.replaceAll('_', ' ')]))}
    ${fact('Registered since', registeredAt === null ? null : formatDate(registeredAt))}
    ${provenance !== null && dateOf(provenance)}
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
  const lines = addressLines(readRecord(common.address));
  return lines.length === 0 ? null : html`${lines.map((line) => html`<span class="line">${showText(line)}</span>`)}`;
}

/** A text that people paste elsewhere. Without scripts the button is hidden and a click selects the text. */
export function copyable(text: string): Html {
  return html`<span class="copyable"><code>${showText(text)}</code>
    <button type="button" class="copy" data-copy aria-label="Copy ${plainText(text)}">Copy</button></span>`;
}

function dateOf({ asOf, importedAt }: Provenance): Html {
  return asOf ? fact('Data as of', formatDate(asOf)) : fact('Imported', formatDay(Date.parse(importedAt)));
}

/** How many activities the top of the page shows. */
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
