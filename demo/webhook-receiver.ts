import type { Clock } from '../src/base/clock.ts';
import { type Html, html } from '../src/base/html.ts';
import { equalSecrets } from '../src/base/secrets.ts';
import type { Routes } from '../src/http/app.ts';
import { scrollArea } from '../src/portal/parts/blocks.ts';
import { layout } from '../src/portal/parts/layout.ts';
import { formatMoment } from '../src/portal/text/formatting.ts';
import { sendPage } from '../src/portal/visitor.ts';
import { signMessage } from '../src/watch/webhooks/secrets.ts';

/** The path that the demo receives webhooks at. Its page shows what has arrived. */
export const RECEIVER = '/demo/webhooks';

const MAX_BODY_BYTES = 64 * 1024;
const [MAX_KEPT, MAX_SECRETS] = [50, 20];
const TOLERANCE_SECONDS = 300;
const REFRESH_SECONDS = 3;

interface Received {
  readonly at: number;
  readonly id: string;
  readonly isVerified: boolean;
  /** An event may arrive more than once. */
  readonly isRepeated: boolean;
  readonly type: string;
  readonly entityId: string;
  readonly name: string;
}

export interface WebhookReceiver {
  /** From now on, what is signed with this secret is accepted. */
  addSecret(secret: string): void;
}

/** A receiver of webhooks as a user would write it: it verifies signatures, answers 204, and recognizes repetitions. */
export function registerWebhookReceiver(app: Routes, { clock }: { readonly clock: Clock }): WebhookReceiver {
  const secrets = new Set<string>();
  let received: readonly Received[] = [];

  function isVerified(headers: Readonly<Record<string, unknown>>, body: string): boolean {
    const [id, sent, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
      String(headers[`webhook-${name}`] ?? ''),
    );
    const timestamp = Number(sent);
    if (!(Math.abs(clock.now() / 1_000 - timestamp) <= TOLERANCE_SECONDS)) return false;
    const expected = signMessage({ id: id ?? '', timestamp, body }, [...secrets]).split(' ');
    const given = (signatures ?? '').split(' ', MAX_SECRETS);
    return expected.some((one) => one !== '' && given.some((other) => equalSecrets(one, other)));
  }

  function addSecret(secret: string): void {
    secrets.add(secret);
    for (const oldest of secrets) if (secrets.size > MAX_SECRETS) secrets.delete(oldest);
  }

  const scope = app.scope({ bodies: { '*': (bytes) => bytes.toString() }, bodyLimit: MAX_BODY_BYTES });
  scope.post<{ Body: string | undefined }>(RECEIVER, async ({ headers, body = '' }, reply) => {
    const isGood = isVerified(headers, body);
    const id = String(headers['webhook-id'] ?? '').slice(0, 100);
    const isRepeated = received.some((each) => each.id === id && each.isVerified);
    const one = { at: clock.now(), id, isVerified: isGood, isRepeated, ...readEvent(body) };
    received = [one, ...received].slice(0, MAX_KEPT);
    if (isGood) return reply.code(204).send();
    return reply
      .code(400)
      .type('text/plain')
      .send(`The signature does not fit: enter the secret at ${RECEIVER}/secret`);
  });
  scope.get(RECEIVER, async (_request, reply) =>
    sendPage(reply.header('Refresh', String(REFRESH_SECONDS)), receivedPage(received)),
  );
  scope.get(`${RECEIVER}/secret`, async (_request, reply) => sendPage(reply, secretPage()));
  scope.post<{ Body: string | undefined }>(`${RECEIVER}/secret`, async ({ body = '' }, reply) => {
    const secret = new URLSearchParams(body).get('secret')?.trim() ?? '';
    if (!/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/.test(secret)) return sendPage(reply.code(400), secretPage(true));
    addSecret(secret);
    return reply.redirect(RECEIVER, 303);
  });
  return { addSecret };
}

function readEvent(body: string): Pick<Received, 'type' | 'entityId' | 'name'> {
  try {
    const { type, data } = JSON.parse(body);
    const name = (data.after ?? data.before)?.canonicalName ?? data.message ?? '';
    return { type: String(type), entityId: String(data.entityId ?? ''), name: String(name) };
  } catch {
    return { type: 'not an event', entityId: '', name: '' };
  }
}

function receivedPage(received: readonly Received[]): Html {
  const rows = received.map(
    ({ at, id, isVerified, isRepeated, type, entityId, name }) => html`<tr>
      <th scope="row">${type}</th>
      <td data-label="Signature"><span class="badge ${isVerified ? 'good' : 'bad'}">${isVerified ? 'verified' : 'wrong'}</span>${isRepeated && ' repeated'}</td>
      <td data-label="About">${type.startsWith('entity.') ? html`<a href="/entities/${entityId}"><bdi>${name}</bdi></a>` : html`<bdi>${name}</bdi>`}</td>
      <td data-label="Received">${formatMoment(at)}</td>
      <td data-label="webhook-id"><code>${id}</code></td>
    </tr>`,
  );
  return layout(
    'Receiver of the demo',
    html`<h1>Receiver of the demo</h1>
    <p class="lead">What your <a href="/dashboard/webhooks">webhook endpoints</a> have sent to this machine. The page reloads itself.</p>
    ${
      received.length === 0
        ? html`<p class="empty">Nothing has arrived yet. Use <em>Send a test</em> on the page of an endpoint, or import a file that changes a
          company of a <a href="/dashboard/monitors">monitor</a>.</p>`
        : scrollArea(
            'Received webhooks',
            html`<table class="stack"><thead><tr><th>Event</th><th>Signature</th><th>About</th><th>Received</th><th>webhook-id</th></tr></thead>
          <tbody>${rows}</tbody></table>`,
          )
    }
    <p>The receiver knows the secret of the endpoint that the demo has created for <code>demo@example.com</code>.
      <a href="${RECEIVER}/secret">Enter the secret of another one</a></p>`,
    { section: '/dashboard', visitor: { name: 'Demo' } },
  );
}

function secretPage(isInvalid = false): Html {
  return layout(
    'Secret of an endpoint',
    html`<p><a href="${RECEIVER}">Receiver of the demo</a></p><h1>Secret of an endpoint</h1>
    ${isInvalid && html`<p role="alert" id="problem">This is not a secret: it starts with <code>whsec_</code>, followed by base64.</p>`}
    <form method="post" action="${RECEIVER}/secret">
      <label for="secret">The secret that was shown when you created the endpoint</label>
      <input id="secret" name="secret" required autocomplete="off" spellcheck="false" placeholder="whsec_…">
      <button>Use it</button>
      <p class="hint">It is kept until the demo stops.</p>
    </form>`,
    { section: '/dashboard', visitor: { name: 'Demo' } },
  );
}
