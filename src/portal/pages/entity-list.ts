import { type ListPage, parsePointer } from '../../base/json/json-excerpt.ts';
import { type Html, html } from '../html.ts';
import { scrollArea } from '../parts/blocks.ts';
import { layout, type Visitor } from '../parts/layout.ts';
import { commonTable, type Registration, registrationsTable, titleOfList } from '../parts/record/common-fields.ts';
import { showItems } from '../parts/record/register-fields.ts';
import { sourceTable } from '../parts/record/source-table.ts';
import { LIST_PAGE_SIZE, listAddress } from '../parts/record/values.ts';
import { pageLinks } from '../parts/search/paging.ts';
import { plainText, showText } from '../text/display-text.ts';
import { formatAmount, formatCount } from '../text/formatting.ts';
import { flatten, labelPath } from '../text/record-fields.ts';

export interface EntityListView {
  readonly visitor: Visitor;
  readonly id: string;
  /** JSON Pointer of the list in the record. */
  readonly pointer: string;
  readonly page: number;
  readonly list: ListPage;
  readonly left: number;
}

/** One list of a record, in pages: some companies have thousands of establishments. */
export function entityListPage(view: EntityListView): Html {
  const { visitor, id, pointer, page, list, left } = view;
  const { total, head } = list;
  const pageCount = Math.max(1, Math.ceil(total / LIST_PAGE_SIZE));
  const first = (page - 1) * LIST_PAGE_SIZE + 1;
  const name = String(head.canonicalName ?? '');
  const title = describeList(pointer);
  return layout(
    `${plainText(title)}: ${plainText(name)}`,
    html`<p class="crumbs"><a href="/explore">Explore</a> › <a href="/entities/${id}">${showText(name)}</a></p>
    <h1>${showText(title)}</h1>
    <p class="total" role="status">${
      list.items.length === 0
        ? html`Page ${formatCount(page)} does not exist. The last page is ${formatCount(pageCount)}.`
        : describeRange(first, list.items.length, total)
    }</p>
    <p class="cost">This page used one request; ${formatCount(left)} left in this period.
    <a href="/entities/${id}/json">The complete record as JSON</a> also uses one.</p>
    ${showList(view, first)}
    ${
      (pageCount > 1 || page > 1) &&
      pageLinks({
        page,
        pageCount,
        action: `/entities/${id}`,
        parameters: [['list', pointer]],
        addressOf: (target) => listAddress(id, pointer, target),
      })
    }`,
    { section: '/explore', visitor },
  );
}

/** `3 entries` if all are on the page, otherwise `51–100 of 120` or `101 of 101`. */
function describeRange(first: number, count: number, total: number): Html {
  if (count === total) return html`<strong>${formatAmount(total, 'entry', 'entries')}</strong>`;
  const last = first + count - 1;
  return html`${first < last && `${formatCount(first)}–`}${formatCount(last)} of <strong>${formatCount(total)}</strong>`;
}

/** Names of source fields are shown as published, names of our own fields as labels. */
function describeList(pointer: string): string {
  const [member = '', ...path] = parsePointer(pointer);
  if (member === 'sourceData') return ['Original source row', ...path.map(countFromOne)].join(' › ');
  const known = member === 'registry' && path.length === 1 ? titleOfList(path[0] ?? '') : undefined;
  return known ?? labelPath(member === 'registry' ? path.map(countFromOne) : [member, ...path.map(countFromOne)]);
}

function countFromOne(segment: string): string {
  return /^\d+$/.test(segment) ? String(Number(segment) + 1) : segment;
}

function showList({ id, pointer, list: { items } }: EntityListView, first: number): Html {
  const [member, name = '', ...rest] = parsePointer(pointer);
  if (member === 'registrations') return registrationsTable(items as unknown as readonly Registration[]);
  if (member === 'sourceData') {
    const fields = items.flatMap((item, index) =>
      flatten(item, {}, { path: [String(first + index)], pointer: `${pointer}/${first - 1 + index}` }),
    );
    return sourceTable(id, fields);
  }
  if (member === 'registry' && rest.length === 0 && titleOfList(name) !== undefined) return commonTable(name, items);
  return scrollArea(describeList(pointer), showItems(items));
}
