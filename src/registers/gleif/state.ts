/** The status of the company. The status of its LEI (issued, lapsed, …) is separate: `registry.lei.status`. */
import type { EntityStatus, MapContext } from '../contract.ts';
import { lookUpStatus, parseDay } from '../parsing.ts';
import { type Entry, readDayAt } from './entry.ts';

export interface LegalEvent {
  readonly type: string;
  readonly status: string;
  readonly effectiveAt: string | null;
  readonly recordedAt: string | null;
}

export interface EntityState {
  readonly status: EntityStatus;
  /** What says that an inactive company has ended. */
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

const DISSOLUTION = 'DISSOLUTION';
/** Events in which a company may end by becoming part of its successors. */
const MERGERS: ReadonlySet<string> = new Set(['MERGERS_AND_ACQUISITIONS', 'ABSORPTION', 'BREAKUP']);

/**
 * `INACTIVE` means that the company has ended or does not operate. It has ended if the record says that it was
 * dissolved, or if it merged and has a successor.
 */
export function readState(entry: Entry, context: MapContext<unknown>): EntityState {
  const entity = entry.at('Entity');
  const events = listEvents(entity, context);
  const listed = lookUpStatus(STATUSES, 'Entity.EntityStatus', entity.text('EntityStatus'), context);
  const expired = readDayAt(entry, 'Entity.EntityExpirationDate', context);
  const end = listed === 'inactive' ? findEnd(entity, events) : null;
  return {
    status: end === null ? listed : 'dissolved',
    inferredFrom: end?.inferredFrom ?? null,
    endedAt: expired ?? end?.endedAt ?? null,
    events,
  };
}

function findEnd(
  entity: Entry,
  events: readonly LegalEvent[],
): { inferredFrom: string; endedAt: string | null } | null {
  const completed = events.filter(({ status }) => status === 'COMPLETED');
  const dissolution = completed.find(({ type }) => type === DISSOLUTION);
  const merger = hasSuccessor(entity) ? completed.find(({ type }) => MERGERS.has(type)) : undefined;
  const event = dissolution ?? merger;
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
