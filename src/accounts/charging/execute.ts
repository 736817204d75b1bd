import { setTimeout as sleep } from 'node:timers/promises';
import { type ErrorCode, fail } from '../../base/errors.ts';
import { isPaid } from '../../base/plans.ts';
import { networkOf } from '../../base/requests/networks.ts';
import { type Deadline, startDeadline, within } from '../../base/system/deadline.ts';
import { type Caller, portalCaller } from '../../base/usage.ts';
import type { Decision, Receipt } from '../metering/decisions.ts';
import type { Meter } from '../metering/meter.ts';
import type { NamedSecrets } from '../named-secrets.ts';
import { createGuessThrottle, type GuessThrottleOptions } from './guess-throttle.ts';
import type {
  BatchAnswer,
  BatchOperation,
  Context,
  Credential,
  Denied,
  Exchange,
  Limits,
  Operation,
  PricedOperation,
  QuotedOperation,
  Reply,
  ResponseStream,
  SecretCredential,
  Write,
} from './operation.ts';

/**
 * The steps of every charged request, whether it comes from the API, an export, a tool or a page:
 *
 *   credential → rate window → validation → quota → work → reply → refund of what was not delivered
 *
 * All steps share one deadline. Every request of a known caller counts in the rate window, even an invalid one, so that a broken client cannot send
 * requests without limit. Only an answer costs quota. This folder owns the order of these steps. This folder does not own the counters (`metering/`),
 * the operations themselves, or the bytes: `api/` and `portal/` write replies.
 *
 * The steps call back instead of returning promises, so that an answer from memory is written in the turn of the event loop in which it was counted.
 */
export type Executor = ReturnType<typeof createExecutor>;

interface ExecutorOptions {
  readonly identify: Identify;
  readonly meter: Pick<Meter, 'request' | 'takeUnits' | 'refund'>;
}

export function createExecutor({ identify, meter }: ExecutorOptions) {
  const deliveries = new Set<Promise<void>>();

  function execute<Input, Given, Answer>(
    operation: Operation<Input, Given, Answer>,
    exchange: Exchange<Input>,
    write: Write<Answer>,
  ): void {
    const { input, deadline, response } = exchange;
    const failed = (error: unknown) => void write({ outcome: 'failed', error, limits: null });
    identify(
      exchange,
      (caller) => {
        exchange.caller = caller;
        // Validation needs no database, so it comes first, and one transaction decides about window and quota. An invalid request is reported only if
        // the window allows the request.
        const reading = read(operation, input, caller);
        const charged = reading.isValid && operation.price === 'unit';
        const decided = (decision: Decision) => {
          if (decision.outcome === 'revoked') return failed(fail(nameUnknown(exchange.credential)));
          if (decision.outcome !== 'granted') return void write(deny(decision, caller));
          if (!reading.isValid) return void write({ outcome: 'failed', error: reading.error, limits: decision });
          const context = { input, caller, deadline, limits: decision };
          const { given } = reading;
          if (operation.price === 'quoted' || operation.price === 'batch') {
            const delivery = answerSeveral(operation, given, context, response, write);
            track(delivery.catch((error: unknown) => void write({ outcome: 'failed', error, limits: decision })));
          } else answer(operation, given, context, { receipt: decision.receipt, response }, write);
        };
        meter.request({ caller, charged, deadline, decided, failed });
      },
      failed,
    );
  }

  function answer<Input, Given, Answer>(
    operation: PricedOperation<Input, Given, Answer>,
    given: Given,
    context: Context<Input>,
    { receipt, response }: { readonly receipt: Receipt | null } & Pick<Exchange<Input>, 'response'>,
    write: Write<Answer>,
  ): void {
    const { limits } = context;
    const latest = context.deadline + (operation.waitMs?.(given) ?? 0);
    const units = receipt === null ? 0 : 1;
    const refund = async (): Promise<Limits> => {
      if (receipt === null) return limits;
      await meter.refund(receipt, latest);
      return addUnits(limits, 1);
    };
    const failed = (error: unknown) => {
      void refund().then((left) => write({ outcome: 'failed', error, limits: left }));
    };
    const answered = (answer: Answer) => {
      const isFree = operation.isFree?.(answer) === true || (response !== undefined && isGone(response));
      if (units === 1 && isFree) {
        void refund().then((left) => write({ outcome: 'answered', answer, limits: left, units: 0 }));
        return;
      }
      try {
        const delivery = write({ outcome: 'answered', answer, limits, units });
        if (delivery !== undefined) track(delivery.then((kept) => (kept < units ? refund() : undefined)));
      } catch (error) {
        failed(error);
      }
    };
    let working: Answer | Promise<Answer>;
    try {
      working = operation.answer(given, context);
    } catch (error) {
      failed(error);
      return;
    }
    if (working instanceof Promise) void within(latest, working, 'reading the data').then(answered, failed);
    else answered(working);
  }

  async function answerSeveral<Input, Given, Answer>(
    operation: QuotedOperation<Input, Given, Answer> | BatchOperation<Input, Given, Answer>,
    given: Given,
    context: Context<Input>,
    response: Exchange<Input>['response'],
    write: Write<Answer>,
  ): Promise<void> {
    const deadline = context.deadline + (operation.waitMs?.(given) ?? 0);
    const later = { ...context, deadline };
    if (operation.price === 'quoted') {
      await operation.quote(given, later, (units, answer) =>
        sell(units, later, async () => ({ answer, units }), write),
      );
      return;
    }
    const isClientGone = () => response !== undefined && isGone(response);
    const work = (limits: Limits) =>
      within(deadline, operation.answer(given, { ...later, limits, isGone: isClientGone }), 'reading the data');
    await sell(operation.countUnits(given), context, work, write);
  }

  /** Charges units before the work. Those that the answer does not cost, or that are not delivered, are refunded. */
  async function sell<Input, Answer>(
    units: number,
    { caller, deadline, limits }: Context<Input>,
    work: (limits: Limits) => Promise<BatchAnswer<Answer>>,
    write: Write<Answer>,
  ): Promise<void> {
    const taken = units === 0 ? undefined : await meter.takeUnits(caller, units, deadline);
    const left = taken === undefined ? limits : { window: limits.window, quota: taken.quota };
    const receipt = taken?.receipt;
    if (receipt === null) return void write(denyUnits(left, caller, units));
    let charged = units;
    const keep = async (kept: number): Promise<Limits> => {
      const unused = charged - kept;
      charged = kept;
      // Delivery may take much longer than the deadline of the request.
      if (receipt !== undefined && unused > 0) await meter.refund(receipt, startDeadline(), unused);
      return addUnits(left, units - kept);
    };
    try {
      const { answer, units: earned } = await work(left);
      const delivery = write({ outcome: 'answered', answer, limits: await keep(earned), units: earned });
      if (delivery !== undefined) await keep(await delivery);
    } catch (error) {
      write({ outcome: 'failed', error, limits: await keep(0) });
    }
  }

  function track(delivery: Promise<unknown>): void {
    const tracked = delivery.then(
      () => void deliveries.delete(tracked),
      () => void deliveries.delete(tracked),
    );
    deliveries.add(tracked);
  }

  return {
    execute,
    /** Like `execute`, for answers that are complete when they are returned: returns the reply instead of writing it. */
    perform: <Input, Given, Answer>(
      operation: PricedOperation<Input, Given, Answer> | BatchOperation<Input, Given, Answer>,
      exchange: Exchange<Input>,
    ): Promise<Reply<Answer>> => new Promise((resolve) => execute(operation, exchange, (reply) => void resolve(reply))),
    /** Verifies the credential alone, for requests whose body must not be read before the credential is known. */
    identify: (exchange: Exchange<unknown>): Promise<void> =>
      new Promise((resolve, reject) => {
        const found = (caller: Caller) => {
          exchange.caller = caller;
          resolve();
        };
        identify(exchange, found, reject);
      }),
    /** Resolves when all answers are delivered and undelivered units are refunded. */
    async whenDelivered(): Promise<void> {
      while (deliveries.size > 0) await Promise.all(deliveries);
    },
  };
}

function read<Input, Given, Answer>(operation: Operation<Input, Given, Answer>, input: Input, caller: Caller) {
  const { right, plan, planMessage } = operation;
  try {
    if (right === 'manage' && caller.canManage !== true) throw fail('manage_right_required');
    const given = operation.read(input);
    if (plan === 'paid' && !isPaid(caller.plan))
      throw fail('plan_required', planMessage === undefined ? {} : { message: planMessage });
    return { isValid: true, given } as const;
  } catch (error) {
    return { isValid: false, error } as const;
  }
}

/** Only secrets can be revoked. */
function nameUnknown({ kind }: Credential): ErrorCode {
  return kind === 'session' ? 'invalid_session' : UNKNOWN_SECRET[kind];
}

function deny({ outcome, window, quota, account }: Decision, { plan }: Caller): Denied {
  const limits = { window, quota };
  const reached = { outcome: 'denied', limits, units: 1, plan } as const;
  if (account !== null) return { ...reached, code: 'rate_limit_exceeded', resetsAt: account.resetsAt, account };
  if (outcome === 'rate_limited') return { ...reached, code: 'rate_limit_exceeded', resetsAt: window.resetsAt };
  return { ...reached, code: 'monthly_quota_exceeded', resetsAt: quota.resetsAt };
}

function denyUnits(limits: Limits, { plan }: Caller, units: number): Denied {
  const { remaining, resetsAt } = limits.quota;
  // A quota that is not used up still pays for other requests, so the client must not wait for the next period.
  const code = remaining === 0 ? 'monthly_quota_exceeded' : 'insufficient_quota';
  return { outcome: 'denied', code, resetsAt, limits, units, plan };
}

function addUnits({ window, quota }: Limits, units: number): Limits {
  return { window, quota: { ...quota, remaining: quota.remaining + units } };
}

/** Whether nothing can be sent to the client any more: the client has gone, or the connection was closed because of invalid HTTP. */
export function isGone({ destroyed, socket }: ResponseStream): boolean {
  return destroyed || socket?.writable === false;
}

interface IdentifyOptions {
  readonly apiKeys: Pick<NamedSecrets, 'peekKey' | 'findKey'>;
  readonly reconcileLinks: Pick<NamedSecrets, 'peekKey' | 'findKey'>;
  readonly guesses: GuessThrottleOptions;
}

/** Finds who sends a request. Calls back at once if the key was used a moment ago. */
type Identify = (
  exchange: Pick<Exchange<unknown>, 'credential' | 'deadline' | 'caller'>,
  found: (caller: Caller) => void,
  failed: (error: unknown) => void,
) => void;

const UNKNOWN_SECRET = {
  key: 'invalid_api_key',
  link: 'invalid_reconcile_link',
} as const satisfies Record<SecretCredential['kind'], ErrorCode>;

/** The first step of every charged request: an API key, a reconcile link, or the account of a session. */
export function createIdentify({ apiKeys, reconcileLinks, guesses }: IdentifyOptions): Identify {
  const throttle = createGuessThrottle(guesses);
  const secrets = { key: apiKeys, link: reconcileLinks };

  async function findCaller({ kind, secret, address }: SecretCredential, deadline: Deadline): Promise<Caller> {
    if (secret === undefined) throw fail('api_key_required');
    const caller = await secrets[kind].findKey(secret, deadline);
    if (caller !== undefined) return caller;
    const delayMs = throttle(networkOf(address));
    if (delayMs > 0) await sleep(delayMs);
    throw fail(UNKNOWN_SECRET[kind]);
  }

  return ({ credential, deadline, caller }, found, failed) => {
    if (caller !== null) return found(caller);
    if (credential.kind === 'session') return found(portalCaller(credential.account));
    const { kind, secret } = credential;
    const known = secret === undefined ? undefined : secrets[kind].peekKey(secret);
    if (known !== undefined) return found(known);
    findCaller(credential, deadline).then(found, failed);
  };
}
