import type { Fields } from '../../../core/requests/form-fields.ts';
import type { Monitor } from '../../../monitors/monitors.ts';
import type { WebhookEndpoint } from '../../../webhooks/endpoints.ts';
import { type Html, html } from '../../html.ts';
import { showName } from '../../text/display-text.ts';
import { choice } from './monitor-forms.ts';

/** What the user chooses about an endpoint. `readEndpointFields` reads it. */
export function endpointFields(
  { url, description, monitorIds }: Pick<WebhookEndpoint, 'url' | 'description' | 'monitorIds'>,
  monitors: readonly Monitor[],
): Html {
  const radio = (value: string, label: string, isChosen: boolean) =>
    html`<label class="choice"><input type="radio" name="monitors" value="${value}"${isChosen && html` checked`}> ${label}</label>`;
  return html`<label for="endpoint-url">Address of your receiver</label>
    <input id="endpoint-url" name="url" type="url" required maxlength="2000" autocomplete="off" placeholder="https://example.com/hooks" value="${url}">
    <label for="endpoint-description">What it is for (optional)</label>
    <input id="endpoint-description" name="description" maxlength="200" autocomplete="off" value="${description ?? ''}">
    <fieldset><legend>Monitors whose events it gets</legend>
      ${radio('all', 'All, including future ones', monitorIds === null)}
      ${
        monitors.length === 0
          ? html`<p class="hint">You have no monitors yet. <a href="/dashboard/monitors">Create one</a>, or nothing will be sent.</p>`
          : html`${radio('some', 'Only these:', monitorIds !== null)}<div class="chosen">${monitors.map(
              ({ id, name }) => choice(`monitor:${id}`, showName(name), monitorIds?.includes(id) === true),
            )}</div>`
      }
    </fieldset>`;
}

/** A list without a monitor is left to the caller to refuse. */
export function readEndpointFields(form: Fields) {
  const ids = Object.keys(form).flatMap((name) => (name.startsWith('monitor:') ? [name.slice('monitor:'.length)] : []));
  const { url = '', description = '', monitors } = form;
  return {
    url: url.trim(),
    description: description.trim() || null,
    monitorIds: monitors === 'some' ? ids : null,
  };
}
