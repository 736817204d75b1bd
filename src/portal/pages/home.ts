import { fail } from '../../base/errors.ts';
import { type Html, html } from '../../base/html.ts';
import { type Deadline, startDeadline, within } from '../../base/system/deadline.ts';
import type { Routes } from '../../http/app.ts';
import type { Country, RegisterState } from '../../registry/registry.ts';
import { readSearchQuery } from '../../search/parameters.ts';
import { highlight } from '../docs/highlight.ts';
import { createKeptPages, identifyData } from '../kept-pages.ts';
import { codeBlock, section } from '../parts/blocks.ts';
import { layout, type Visitor } from '../parts/layout.ts';
import { countryMap, sampleHint } from '../parts/registers.ts';
import type { FoundPage } from '../parts/search/results.ts';
import { searchField } from '../parts/search/search-form.ts';
import { findPage } from '../preview.ts';
import type { PageServices } from '../services.ts';
import { formatAge, formatCount } from '../text/formatting.ts';
import { indentJson } from '../text/record-fields.ts';
import { apiAddress, formatCurl } from '../text/search-address.ts';
import { findVisitor, sendPage } from '../visitor.ts';
import { offeredPlans, startAddress } from './plans.ts';

/** The account for the page's own searches, because ClickHouse limits searches per account. */
const SAMPLE_ACCOUNT = 'home';

/** Links for programs that start at the home page: to the contract and to the documentation (RFC 8631). */
const SERVICE_LINKS =
  '</api/v1/openapi.json>; rel="service-desc"; type="application/json", </docs>; rel="service-doc"; type="text/html"';

export function registerHome(app: Routes, services: PageServices): void {
  const { publicUrl, registry, clock, search } = services;
  const kept = createKeptPages();
  let sample: { readonly version: string; readonly page: FoundPage | undefined } | undefined;

  /** The example of an answer beside its request, searched once per version of the data. If search fails, the page has no example. */
  async function readSample(deadline: Deadline): Promise<FoundPage | undefined> {
    try {
      const version = await search.version();
      if (sample?.version !== version) {
        const page = await within(deadline, findPage(search, SAMPLE_QUERY, SAMPLE_ACCOUNT, deadline), 'the example');
        sample = { version, page: page.data.length === 0 ? undefined : page };
      }
      return sample.page;
    } catch {
      return undefined;
    }
  }

  app.get('/', async (request, reply) => {
    if (!services.isPrepared()) throw fail('service_unavailable', { retryAfter: 1 });
    const deadline = startDeadline();
    const now = clock.now();
    const reading = Promise.all([
      findVisitor(request, services),
      registry.listCountries(),
      registry.listRegisters(now),
    ]);
    const [visitor, countries, registers] = await within(deadline, reading, 'reading the registers');
    reply.header('Link', SERVICE_LINKS);
    const shown = await readSample(deadline);
    const render = () => {
      const counts = html`${liveCounts(countries, registers, now)}${countryMap(countries, registers)}`;
      return homePage(visitor, publicUrl(), counts, shown);
    };
    if (visitor !== 'anonymous') return sendPage(reply, render());
    return sendPage(reply, kept.find('/', `${identifyData(countries, registers, now)} ${sample?.version}`, render));
  });
}

export const SAMPLE_QUERY = readSearchQuery({ q: 'holding', pageSize: '1' });

const WHY = [
  ['Exact search', 'Matches any part of a name or registration number. Totals are counted, not estimated.'],
  ['Complete records', 'Normalized fields, plus the source row column by column, exactly as published.'],
  ['Fixed price', 'No overage fees. When your quota is used up, requests are rejected until it resets.'],
  [
    'Proof',
    'Open a record and press Prove this record: we read the official file again and show its row beside the record, with the file’s SHA-256.',
  ],
] as const;

const WHO = [
  [
    'KYB analysts',
    'Check a supplier’s status, people and former names at the register itself, and keep the file, row and hash for the audit.',
  ],
  [
    'Developers',
    'Build on one key and one shape for every register: search, records and changes as JSON, with errors that say what to do.',
  ],
  [
    'Journalists',
    'Follow a name through countries, see what changed and when, and prove each fact from the official file.',
  ],
] as const;

/** `more` follows the last reason. */
function reasons(list: readonly (readonly [title: string, text: string])[], more?: Html | false): Html {
  const items = list.map(
    ([title, text], at) => html`<li><h3>${title}</h3><p>${text}${at === list.length - 1 && more}</p></li>`,
  );
  return html`<ul class="reasons">${items}</ul>`;
}

function homePage(visitor: Visitor, publicUrl: string, counts: Html, sample: FoundPage | undefined): Html {
  const [company] = sample?.data ?? [];
  const proofLink = company !== undefined && html` <a href="/entities/${company.id}">Open a record</a>`;
  return layout(
    'Company registers, one API',
    html`<div class="hero">
      <div>
        <h1>Official company registers, one API</h1>
        <p class="lead">Search companies from official national registers. Totals are exact, every source field about a company is kept, and each
        record names its source file.</p>
        <form class="search big" action="/explore" method="get" role="search" data-live-search="/explore/suggest">
          ${searchField('Search companies', '')}
          <button>Search</button>
        </form>
        <div id="results" data-live></div>
        ${counts}
      </div>
      <aside aria-labelledby="try-title">
        <h2 id="try-title">Get started</h2>
        <p>Sign in, create a key, send a request. You can jump to any page, even the last.</p>
        ${codeBlock('curl', formatCurl(apiAddress(publicUrl, SAMPLE_QUERY)))}
        ${sample !== undefined && codeBlock('Answer, just now', highlight(indentJson(JSON.stringify(sample)), 'json'))}
        <p><a class="button" href="${startAddress(visitor)}">Get an API key</a>
        <a href="/docs">Quick start</a></p>
      </aside>
    </div>
    ${section('why', 'What you get', reasons(WHY, proofLink))}
    ${section('who', 'Who uses it', reasons(WHO))}
    ${section('plans', 'Plans', offeredPlans(visitor))}`,
    {
      visitor,
      section: '/',
      path: '/',
      scripts: ['copy.js', 'live-search.js'],
      description:
        'Company data from official registers through one JSON API: exact search, complete records, provenance.',
    },
  );
}

function liveCounts(countries: readonly Country[], registers: readonly RegisterState[], now: number): Html {
  const filled = registers.filter(({ entities }) => entities > 0);
  const entities = filled.reduce((sum, register) => sum + register.entities, 0);
  const latest = Math.max(...filled.map(({ importedAt }) => importedAt ?? 0));
  const served = countries.filter(({ enabled }) => enabled).length;
  if (filled.length === 0)
    return html`<p class="empty">No data has been imported yet. See <a href="/coverage">planned countries</a>.</p>`;
  return html`<dl class="counts">
      <div><dt>Companies</dt><dd>${formatCount(entities)}</dd></div>
      <div><dt><a href="/coverage">Countries</a></dt><dd>${formatCount(served)}</dd></div>
      <div><dt>Last import</dt><dd>${formatAge(now - latest)}</dd></div>
    </dl>
    ${filled.some(({ synthetic }) => synthetic) && sampleHint}`;
}
