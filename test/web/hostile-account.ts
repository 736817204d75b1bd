import { monitorTypes } from '../../src/monitors/monitor.ts';
import type { Monitor } from '../../src/monitors/monitors.ts';
import type { WebhookDelivery, WebhookEndpoint } from '../../src/webhooks/endpoints.ts';
import { type Hostile, NOW } from './hostile-values.ts';

/** Monitors, endpoints and deliveries whose texts are hostile. */
export const scope = { types: monitorTypes, fields: null };
export const monitor = (hostile: Hostile): Monitor => ({
  id: 'm',
  name: hostile('name of a monitor'),
  search: null,
  ...scope,
  entities: 1,
  cursor: 'x',
  hasFeed: true,
  problem: null,
  createdAt: NOW,
});
export const endpoint = (hostile: Hostile, description: string | null = null): WebhookEndpoint => ({
  id: 'e',
  accountId: 'a',
  url: hostile('address of a receiver'),
  description,
  monitorIds: null,
  previousEndsAt: NOW,
  position: 0,
  disabledReason: 'failing',
  disabledAt: NOW,
  createdAt: NOW,
});
export const delivery = (hostile: Hostile): WebhookDelivery => ({
  id: hostile('id of a delivery'),
  endpointId: 'e',
  position: 1,
  type: hostile('type of an event'),
  payload: '{}',
  units: 1,
  state: 'waiting',
  attempts: 1,
  attemptLog: JSON.stringify([
    { at: NOW, status: null, reason: hostile('reason'), body: hostile('answer'), tookMs: 1 },
  ]),
  nextAt: NOW,
  chargedPeriod: null,
  chargedDay: null,
  sentAt: null,
  createdAt: NOW,
  deliveredAt: null,
});
