import fc from 'fast-check';
import { runs } from '../harness/depth.ts';
import { type Fault, faults } from './fault-proxy.ts';

/** What happens at one request of a run. */
export interface Step<Event> {
  readonly fault: Fault | null;
  readonly event: Event | null;
}

/** A client gives up a stalled reply after this time. No other reply may take as long, or its request is sent again. */
const TIMEOUT_MS = runs(4_000, 400);

/** Options with which every call gets through in the end: a run has far fewer faults. */
export const persistent = {
  attempts: 100,
  backoff: 0,
  timeout: TIMEOUT_MS,
  deadline: 600_000,
  key: 'frm_test_proxied',
} as const;

/** Half of the requests are fine. A stall costs the whole time limit, so it is rare. */
const anyFault = fc.oneof(
  { weight: 120, arbitrary: fc.constant(null) },
  { weight: 119, arbitrary: fc.constantFrom(...faults.filter((fault) => fault !== 'stall')) },
  { weight: 1, arbitrary: fc.constant<Fault>('stall') },
);

export function anySteps<Event>(event: fc.Arbitrary<Event>, maxLength = 30): fc.Arbitrary<Step<Event>[]> {
  const sometimes = fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: event });
  const step = fc.record({ fault: anyFault, event: sometimes });
  return fc.array(step, { maxLength, size: 'max' });
}
