/** The status of the company. The status of its LEI (issued, lapsed, …) is separate: `registry.lei.status`. */
import type { EntityStatus, MapContext } from '../contract.ts';
import { lookUpStatus, parseDay } from '../parsing.ts';
import { type Entry, readDayAt } from './entry.ts';

interface LegalEvent {
  readonly type: string;
  readonly status: string;
  readonly effectiveAt: string | null;
  readonly recordedAt: string | null;
}

export interface EntityState {
  readonly status: EntityStatus;
  /** What says that an inactive company has ended, or that an active one is being wound up or insolvent. */
  readonly inferredFrom: string | null;
  readonly endedAt: string | null;
  readonly events: readonly LegalEvent[];
}

const STATUSES: ReadonlyMap<string, EntityStatus> = new Map([
  ['ACTIVE', 'active'],
  ['INACTIVE', 'inactive'],
  // The record should not exist: the LEI was annulled, or it is a duplicate.
  ['NULL', 'unknown'],
]);

/** Events that end a company when they are completed. */
const ENDINGS: ReadonlySet<string> = new Set(['DISSOLUTION', 'LIQUIDATION', 'BANKRUPTCY']);
/** What a company in operation is while an event is in progress. The more serious one of several counts. */
const PROCEDURES: readonly (readonly [EntityStatus, ReadonlySet<string>])[] = [
  ['insolvent', new Set(['BANKRUPTCY', 'INSOLVENCY', 'VOLUNTARY_ARRANGEMENT'])],
  ['in_liquidation', new Set(['LIQUIDATION', 'DISSOLUTION'])],
];
/** Events in which a company may end by becoming part of its successors. */
const MERGERS: ReadonlySet<string> = new Set(['MERGERS_AND_ACQUISITIONS', 'ABSORPTION', 'BREAKUP']);

/**
 * `ACTIVE` includes companies in liquidation and in insolvency procedures: only their legal events say so. `INACTIVE` means
 * that the company has ended or does not operate. It has ended if the record says that it was dissolved, that its
 * liquidation or bankruptcy is completed, or if it merged and has a successor.
 */
export function readState(entry: Entry, context: MapContext<unknown>): EntityState {
  const entity = entry.at('Entity');
  const events = listEvents(entity, context);
  const listed = lookUpStatus(STATUSES, 'Entity.EntityStatus', entity.text('EntityStatus'), context);
  const expired = readDayAt(entry, 'Entity.EntityExpirationDate', context);
  const end = listed === 'inactive' ? findEnd(entity, events) : null;
  const procedure = listed === 'active' ? findProcedure(events) : null;
  return {
    status: end === null ? (procedure?.status ?? listed) : 'dissolved',
    inferredFrom: end?.inferredFrom ?? procedure?.inferredFrom ?? null,
    endedAt: expired ?? end?.endedAt ?? null,
    events,
  };
}

function findProcedure(events: readonly LegalEvent[]): { status: EntityStatus; inferredFrom: string } | null {
  for (const [status, types] of PROCEDURES) {
    const event = events.find((event) => event.status === 'IN_PROGRESS' && types.has(event.type));
    if (event !== undefined) return { status, inferredFrom: event.type };
  }
  return null;
}

function findEnd(
  entity: Entry,
  events: readonly LegalEvent[],
): { inferredFrom: string; endedAt: string | null } | null {
  const completed = events.filter(({ status }) => status === 'COMPLETED');
  const ending = completed.find(({ type }) => ENDINGS.has(type));
  const merger = hasSuccessor(entity) ? completed.find(({ type }) => MERGERS.has(type)) : undefined;
  const event = ending ?? merger;
  if (event !== undefined) return { inferredFrom: event.type, endedAt: event.effectiveAt };
  const isDissolved = entity.text('EntityExpirationReason') === 'DISSOLVED';
  return isDissolved ? { inferredFrom: 'EntityExpirationReason', endedAt: null } : null;
}

function hasSuccessor(entity: Entry): boolean {
  return entity.list('SuccessorEntity', ['SuccessorLEI', 'SuccessorEntityName']).length > 0;
}

const EVENTS = 'LegalEntityEvents.LegalEntityEvent';

function listEvents(entity: Entry, context: MapContext<unknown>): LegalEvent[] {
  return entity.list(EVENTS, ['LegalEntityEventType']).map((event) => {
    const readDay = (name: string) => parseDay(`Entity.${EVENTS}.${name}`, event.text(name), context);
    return {
      type: event.text('LegalEntityEventType'),
      status: event.attribute('', 'event_status'),
      effectiveAt: readDay('LegalEntityEventEffectiveDate'),
      recordedAt: readDay('LegalEntityEventRecordedDate'),
    };
  });
}
