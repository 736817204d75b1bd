import Type from 'typebox';
import type { EntitySummary } from '../../../base/entity-summary.ts';
import { describeUnknownCountry } from '../../../registry/country-names.ts';
import { SearchParameters, toSearchQuery } from '../../../search/parameters.ts';
import { NOTICE, quote } from '../register-text.ts';
import { argument, Company, createCitations, NullableText, toCompany, writeCompany } from '../shapes.ts';
import { defineTool } from '../tool.ts';

const PAGE_SIZE = 10;

const parameters = SearchParameters.properties;

export const searchTool = defineTool({
  name: 'search_companies',
  description:
    'Finds companies by words of a name or a number (words), or an exact part (q). Exact totals, 10 per page.',
  input: {
    words: argument(parameters.words, 'holdings albion'),
    q: argument(parameters.q),
    country: argument(parameters.country),
    register: argument(parameters.register, 'Id from list_countries'),
    jurisdiction: argument(parameters.jurisdiction, 'US-NY'),
    status: argument(parameters.status),
    legalForm: argument(parameters.legalForm),
    legalFormCode: argument(parameters.legalFormCode),
    elf: argument(parameters.elf),
    legalFormClass: argument(parameters.legalFormClass),
    activity: argument(parameters.activity),
    isic: argument(parameters.isic, 'J, 62, 6201'),
    registeredFrom: argument(parameters.registeredFrom, 'YYYY-MM-DD'),
    registeredTo: argument(parameters.registeredTo),
    sort: argument(parameters.sort),
    page: argument(parameters.page),
  },
  output: {
    total: Type.Integer(),
    page: Type.Integer(),
    pageCount: Type.Integer(),
    companies: Type.Array(Company),
    suggestion: NullableText,
  },
  async run(given, { search, registry }, { accountId, deadline }) {
    const query = { ...toSearchQuery(given), pageSize: PAGE_SIZE };
    const { body, total } = await search.find(query, accountId, deadline);
    const text = `${query.words} ${query.q}`.trim();
    const { data, meta } = JSON.parse(Buffer.from(body).toString('utf8')) as SearchBody;
    const rows = await registry.findMainRows(data.map(({ id }) => id));
    const companies = data.map((summary) => toCompany(summary, rows.get(summary.id)));
    const suggestion = (total === 0 && text !== '' && search.correct?.(text)) || null;
    const { cite, list } = createCitations();
    const lines = companies.map(
      (company, index) => `${(query.page - 1) * PAGE_SIZE + index + 1}. ${writeCompany(company, cite)}`,
    );
    const head = describeTotal(total, meta, suggestion);
    const unknown = query.country === undefined ? undefined : describeUnknownCountry(query.country);
    const shown = companies.length === 0 ? (unknown ?? head) : [head, NOTICE, ...lines, ...list()].join('\n');
    return { data: { total, page: meta.page, pageCount: meta.pageCount, companies, suggestion }, text: shown };
  },
});

interface SearchBody {
  readonly data: readonly EntitySummary[];
  readonly meta: { readonly page: number; readonly pageCount: number };
}

function describeTotal(total: number, { page, pageCount }: SearchBody['meta'], suggestion: string | null): string {
  if (total === 0) {
    const hint = suggestion === null ? '' : ` Did you mean ${quote(suggestion)}?`;
    return `No company matches.${hint} Try a shorter part of the name, or fewer filters.`;
  }
  const companies = total === 1 ? '1 company matches' : `${total} companies match`;
  if (page > pageCount) return `${companies}, but there are only ${pageCount} pages.`;
  return `${companies}. Page ${page} of ${pageCount}.`;
}
