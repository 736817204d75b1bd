import type { RegisterState } from '../../registry/registry.ts';
import { Q } from '../../search/read-query.ts';
import { type Html, html } from '../html.ts';
import { codeBlock } from '../parts/code-block.ts';
import { layout, type Visitor } from '../parts/layout.ts';
import { planCards } from '../parts/plan-cards.ts';
import { resultList } from '../parts/results.ts';
import type { Previewed } from '../preview.ts';
import { showText } from '../text/display-text.ts';
import { writeAge, writeAmount, writeCount } from '../text/formatting.ts';
import { signInAddress } from '../visitor.ts';

export interface HomeView {
  readonly visitor: Visitor;
  readonly publicUrl: string;
  readonly registers: readonly RegisterState[];
  readonly now: number;
  readonly q: string;
  /** What a visitor's search came to, if there was one. */
  readonly outcome: Previewed | undefined;
}

export function homePage(view: HomeView): Html {
  const { visitor, publicUrl } = view;
  return layout(
    'Company registers, one API',
    html`<div class="hero">
      <div>
        <h1>One sky over every company register</h1>
        <p class="lead">Official files of national company registers go in; one JSON API comes out, with exact search, every field of
        the source, and proof of where each record comes from.</p>
        ${searchBox(view)}
        <div id="results" data-live>${preview(view)}</div>
        ${liveCounts(view)}
      </div>
      <aside aria-labelledby="try-title">
        <h2 id="try-title">One request away</h2>
        <p>Sign in, create a key, and ask. Totals are exact, and every page can be asked for, also the last.</p>
        ${codeBlock('curl', `curl -H "X-API-Key: $FIRMAMENT_KEY" \\\n  '${publicUrl}/api/v1/entities?q=holding&country=GB'`)}
        <p><a class="button" href="${visitor === 'stranger' ? signInAddress('/dashboard') : '/dashboard'}">Get an API key</a>
        <a href="/docs">Quick start</a></p>
      </aside>
    </div>
    <section aria-labelledby="why-title">
      <h2 id="why-title">What you get</h2>
      <ul class="reasons">
        <li><h3>Exact search</h3><p>A fragment matches wherever it stands. Totals are counted, not estimated.</p></li>
        <li><h3>Nothing lost</h3><p>Normalized fields beside the source row, column by column, as the register wrote it.</p></li>
        <li><h3>Proof</h3><p>Each record names its file, the file’s SHA-256, its row and the day it was imported.</p></li>
        <li><h3>A fixed price</h3><p>When the quota is used up, requests are refused. Nothing is charged on top.</p></li>
      </ul>
    </section>
    <section aria-labelledby="plans-title" id="plans">
      <h2 id="plans-title">Plans</h2>
      ${planCards((plan) => html`<p><a class="button${plan.id !== 'free' && ' quiet'}" href="${chooseAddress(visitor)}">${plan.id === 'free' ? 'Start free' : `Choose ${plan.name}`}</a></p>`)}
      <p class="hint">Prices per month, in euro. Cancel at any time, to the end of the paid month.</p>
    </section>`,
    {
      visitor,
      section: '/',
      scripts: ['copy.js', 'live-search.js'],
      description:
        'Company data of official registers through one JSON API: exact search, lossless records, provenance.',
    },
  );
}

function chooseAddress(visitor: Visitor): string {
  return visitor === 'stranger' ? signInAddress('/dashboard') : '/dashboard#billing';
}

/** Who is signed in searches where everything is shown. */
function searchBox({ visitor, q }: HomeView): Html {
  const isStranger = visitor === 'stranger';
  return html`<form class="search big" action="${isStranger ? '/' : '/explore'}" method="get" role="search"${isStranger && html` data-live-search`}>
    <div class="field wide">
      <label for="q">Search companies</label>
      <input id="q" name="q" type="search" value="${q}" maxlength="${Q.maxLength}" autocomplete="off" spellcheck="false" dir="auto"
        placeholder="Part of a name, or a registration number">
    </div>
    <div class="actions"><button>Search</button></div>
  </form>`;
}

function preview({ outcome, q }: HomeView): Html | undefined {
  if (outcome === undefined) return undefined;
  if (outcome.kind === 'refused') return outcome.notice;
  const { data, meta } = outcome.page;
  const { total, pageSize } = meta;
  return html`<div class="preview">
    <p class="total" role="status"><strong>${writeAmount(total, 'company', 'companies')}</strong> with “${showText(q)}” in name or number</p>
    ${resultList(data)}
    ${
      total > 0 &&
      html`<p>${total > pageSize && `These are the first ${pageSize}. `}<a href="/explore?q=${encodeURIComponent(q)}">Add filters</a> or
    <a href="${signInAddress(`/explore?q=${encodeURIComponent(q)}`)}">sign in</a> to see all.</p>`
    }
  </div>`;
}

function liveCounts({ registers, now }: HomeView): Html {
  const filled = registers.filter(({ entities }) => entities > 0);
  const entities = filled.reduce((sum, register) => sum + register.entities, 0);
  const latest = Math.max(...filled.map(({ importedAt }) => importedAt ?? 0));
  const countries = new Set(filled.flatMap(({ register }) => register.country ?? [])).size;
  if (filled.length === 0)
    return html`<p class="empty">No register has been imported yet: <a href="/coverage">what is planned</a>.</p>`;
  return html`<dl class="counts">
      <div><dt>Companies</dt><dd>${writeCount(entities)}</dd></div>
      <div><dt>Countries</dt><dd>${writeCount(countries)}</dd></div>
      <div><dt>Last import</dt><dd>${writeAge(now - latest)}</dd></div>
    </dl>
    ${filled.some(({ synthetic }) => synthetic) && sampleHint}`;
}

/** Invented companies must never pass for real ones. */
export const sampleHint: Html = html`<p class="hint">This server holds sample data: invented companies in the formats of the real registers.</p>`;
