import { fail } from '../errors.ts';

export interface SlotLimits {
  readonly perAccount: number;
  readonly inTotal: number;
  /** How long a download may run before it can be ended to make room for an account that has no download. */
  readonly guaranteedMs: number;
}

interface Slot {
  readonly accountId: string;
  readonly startedAt: number;
  end(): void;
}

/**
 * A download may be read slowly for a long time, so their number is limited, in total and per account. If all slots are taken, an account without a
 * download still gets a slot: at once that of an account with several downloads, or else that of the oldest download, after its guaranteed time.
 */
export function createSlots(limits: SlotLimits, now = () => performance.now()) {
  const { perAccount, inTotal, guaranteedMs } = limits;
  /** The taken slots, in the order in which their downloads started. */
  const held = new Set<Slot>();

  function makeRoom(isFirst: boolean): void {
    const slots = [...held];
    const slot = isFirst ? chooseSlotToEnd(slots, now() - guaranteedMs) : undefined;
    if (slot === undefined) throw allTaken((slots[0]?.startedAt ?? 0) + guaranteedMs - now());
    held.delete(slot);
    slot.end();
  }

  return {
    /**
     * Returns a function that releases the slot. Throws `concurrency_limit_exceeded` if the account has too many slots, and `service_unavailable` if
     * no slot is free. `end` is called if another account gets this slot.
     */
    take(accountId: string, end: () => void): () => void {
      const own = [...held].filter((slot) => slot.accountId === accountId).length;
      if (own >= perAccount) throw tooMany(perAccount);
      if (held.size >= inTotal) makeRoom(own === 0);
      const slot = { accountId, startedAt: now(), end };
      held.add(slot);
      return () => void held.delete(slot);
    },
  };
}

function chooseSlotToEnd(held: readonly Slot[], startedBefore: number): Slot | undefined {
  const counts = Map.groupBy(held, ({ accountId }) => accountId);
  const most = Math.max(...[...counts.values()].map(({ length }) => length));
  // The newest download has sent the least.
  if (most > 1) return held.findLast(({ accountId }) => counts.get(accountId)?.length === most);
  return held.find(({ startedAt }) => startedAt <= startedBefore);
}

const RETRY_SECONDS = 5;

function tooMany(perAccount: number) {
  const message = `This account already has ${perAccount === 1 ? 'a download' : `${perAccount} downloads`} at the same time on this server: wait until one has ended.`;
  return fail('concurrency_limit_exceeded', { message, retryAfter: RETRY_SECONDS });
}

function allTaken(msLeft: number) {
  const message = 'Too many downloads are running at the same time: try again when one of them has ended.';
  return fail('service_unavailable', { message, retryAfter: Math.max(RETRY_SECONDS, Math.ceil(msLeft / 1_000)) });
}
