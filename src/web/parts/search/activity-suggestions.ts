import type { Choice, Choices } from '../../../search/choices.ts';
import type { SearchQuery } from '../../../search/search.ts';
import { type Html, html } from '../../html.ts';
import { showText } from '../../text/display-text.ts';
import { formatAmount } from '../../text/formatting.ts';
import { exploreAddress } from '../../text/search-address.ts';
import { suggestActivities } from './filter-options.ts';

const MAX_SUGGESTIONS = 8;

/**
 * The activities that what was typed could become, as links, while it is not the exact name or code of one. Also without JavaScript, where
 * it is sent as it is.
 */
export function activitySuggestions(query: SearchQuery, choices: Choices): Html | false {
  const { activity } = query;
  if (activity === undefined) return false;
  const found = suggestActivities(choices, query, MAX_SUGGESTIONS);
  if (found.length === 0 || found.some(({ value }) => value === activity)) return false;
  return html`<div class="no-results suggested"><p>Activities with “${showText(activity)}” in their name or code:</p>
    <ul>${found.map((choice) => link(choice, query))}</ul></div>`;
}

function link({ value, entities }: Choice, query: SearchQuery): Html {
  return html`<li><a href="${exploreAddress({ ...query, activity: value, page: 1 })}">${showText(value)}</a>
    (${formatAmount(entities, 'company', 'companies')}${query.q !== '' && ' in all'})</li>`;
}
