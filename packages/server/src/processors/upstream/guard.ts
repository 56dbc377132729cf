import { Bulkhead } from '../../lib/waiting/bulkhead.ts';
import { suspendNothing } from '../../lib/waiting/suspend.ts';
import { isRefusal } from '../port/explain.ts';
import type { NoAnswer, ProcessorConnection } from '../port/port.ts';
import { Breaker } from './breaker.ts';
import { isNoAnswer, notExecuted } from './no-answer.ts';

type Caller = Pick<ProcessorConnection, 'accountId' | 'livemode' | 'baseUrl' | 'suspend'>;

/** A breaker that opened or closed: either one account's, or the one for all accounts at one origin of the processor. */
export interface BreakerChange {
  readonly isOpen: boolean;
  readonly scope: 'account' | 'origin';
  readonly origin: string;
  /** Null for an origin's breaker. */
  readonly account: { readonly id: string; readonly livemode: boolean } | null;
}

export interface GuardDependencies {
  /** Milliseconds of a monotonic clock. */
  readonly elapsed: () => number;
  /** A processor that sends no response for this many milliseconds counts as hanging. */
  readonly hangMs: number;
  /** Whether the accounts share one upstream system behind the address, which may hang as a whole. */
  readonly sharesOrigin: boolean;
  readonly onChange: (change: BreakerChange) => void;
  /** Called for each refused call. `breaker`: the processor hangs; `full`: too many calls wait for it. */
  readonly onRefused: (reason: 'breaker' | 'full') => void;
}

const callLimits = { each: 500, all: 2_000 };
/** Verifying a notification rarely needs a call to the processor, and anybody may send one. */
const verificationLimits = { each: 32, all: 256 };
/** How many consecutive calls without an answer open an account's breaker and an origin's. */
const hungOfAccount = 5;
const hungOfOrigin = 10;
const minAccounts = 2;
/** Retry-after, in seconds, when a bulkhead is full. */
const fullSeconds = 2;

/**
 * Guards every call to one processor, so that calls waiting for it do not affect others. Bulkheads limit the calls in flight,
 * for each account and in total. Circuit breakers refuse calls to an upstream that hangs: one per account and mode, and one
 * per origin, which opens once several accounts there get no answer and nobody else does. A refused call was certainly not
 * executed.
 */
export class ProcessorGuard {
  readonly #deps: GuardDependencies;
  readonly #calls = new Bulkhead(callLimits);
  readonly #verifications = new Bulkhead(verificationLimits);
  /** Holds only accounts and origins that recently got no answer. */
  readonly #accounts = new Map<string, { readonly breaker: Breaker; readonly origin: string }>();
  readonly #origins = new Map<string, Breaker>();

  constructor(deps: GuardDependencies) {
    this.#deps = deps;
  }

  /** Number of calls in flight. */
  get inFlight(): number {
    return this.#calls.total;
  }

  /** Number of open breakers. */
  openBreakers(scope: BreakerChange['scope']): number {
    const accounts = [...this.#accounts.values()].map(({ breaker }) => breaker);
    const breakers = scope === 'account' ? accounts : [...this.#origins.values()];
    return breakers.filter(({ isOpen }) => isOpen).length;
  }

  /** Seconds until a call may be made; null: now. The call itself may still be refused. */
  retryAfterSeconds(caller: Caller): number | null {
    const waitMs = this.#breakerOf(caller)?.waitMs() ?? 0;
    if (waitMs > 0) return Math.ceil(waitMs / 1000);
    return this.#calls.hasCapacity(keyOf(caller)) ? null : fullSeconds;
  }

  /**
   * Runs one operation at the processor.
   * @param hasAnswer whether any response has arrived
   * @returns the operation's outcome, or `not_executed` if the guard refused it
   */
  async run<Outcome extends object>(
    caller: Caller,
    operation: () => Promise<Outcome>,
    hasAnswer: () => boolean,
  ): Promise<Outcome | NoAnswer> {
    const leave = this.#calls.enter(keyOf(caller));
    if (leave === null) return this.#refuse('full');
    try {
      const breaker = this.#breakerOf(caller);
      const admitted = breaker === undefined ? 'call' : breaker.begin();
      if (admitted === null) return this.#refuse('breaker');
      return await this.#observe(caller, admitted === 'probe' ? breaker : undefined, operation, hasAnswer);
    } finally {
      leave();
    }
  }

  /** Runs the operation and reports to the breakers whether a response arrived. */
  async #observe<Outcome extends object>(
    caller: Caller,
    probed: Breaker | undefined,
    operation: () => Promise<Outcome>,
    hasAnswer: () => boolean,
  ): Promise<Outcome> {
    const started = this.#deps.elapsed();
    try {
      const outcome = await (caller.suspend ?? suspendNothing)(operation);
      const isSilent =
        isNoAnswer(outcome) && !isRefusal(outcome) && this.#deps.elapsed() - started >= this.#deps.hangMs;
      if (isSilent) this.#hung(caller, probed);
      else if (hasAnswer()) this.#answered(caller);
      else probed?.endedInconclusive();
      return outcome;
    } catch (error) {
      // A database commit inside the operation may fail. The probe must then be released, or no other would ever run.
      probed?.endedInconclusive();
      throw error;
    }
  }

  /** Runs the verification of a notification. It has a limit of its own and ignores the breakers. */
  async verify<Outcome extends object>(
    caller: Caller,
    operation: () => Promise<Outcome>,
  ): Promise<Outcome | NoAnswer> {
    const leave = this.#verifications.enter(keyOf(caller));
    if (leave === null) return this.#refuse('full');
    try {
      return await (caller.suspend ?? suspendNothing)(operation);
    } finally {
      leave();
    }
  }

  #refuse(reason: 'breaker' | 'full'): NoAnswer {
    this.#deps.onRefused(reason);
    return notExecuted(
      'provider_unavailable',
      reason === 'breaker' ? 'the breaker is open' : 'too many calls wait',
    );
  }

  /** An account with an open breaker of its own sends its own probes; the other accounts send those of the origin. */
  #breakerOf(caller: Caller): Breaker | undefined {
    const own = this.#accounts.get(keyOf(caller))?.breaker;
    return own?.isOpen === true ? own : this.#ofOrigin(caller);
  }

  #ofOrigin(caller: Caller): Breaker | undefined {
    // Parsing the origin from a URL takes longer than all other work done here for a call.
    return this.#origins.size === 0 ? undefined : this.#origins.get(originOf(caller));
  }

  #answered(caller: Caller): void {
    this.#accounts.get(keyOf(caller))?.breaker.answered();
    this.#accounts.delete(keyOf(caller));
    const shared = this.#ofOrigin(caller);
    if (shared === undefined) return;
    shared.answered();
    this.#origins.delete(originOf(caller));
  }

  #hung(caller: Caller, probed: Breaker | undefined): void {
    const key = keyOf(caller);
    const origin = originOf(caller);
    const account = this.#accounts.get(key) ?? { breaker: this.#accountBreaker(caller), origin };
    this.#accounts.set(key, account);
    account.breaker.hung(probed === account.breaker);
    if (!this.#deps.sharesOrigin) return;
    const shared = this.#origins.get(origin) ?? this.#originBreaker(origin);
    this.#origins.set(origin, shared);
    shared.hung(probed === shared);
  }

  #accountBreaker({ accountId, livemode, ...caller }: Caller): Breaker {
    const { elapsed, onChange } = this.#deps;
    return new Breaker({
      elapsed,
      threshold: hungOfAccount,
      onChange: (isOpen) =>
        onChange({
          isOpen,
          scope: 'account',
          origin: originOf(caller),
          account: { id: accountId, livemode },
        }),
    });
  }

  /** Opens only if several accounts hang: one hanging account says nothing about the others. */
  #originBreaker(origin: string): Breaker {
    const { elapsed, onChange } = this.#deps;
    const hanging = () =>
      [...this.#accounts.values()].filter((one) => one.origin === origin && one.breaker.isOpen).length;
    return new Breaker({
      elapsed,
      threshold: hungOfOrigin,
      mayOpen: () => hanging() >= minAccounts,
      onChange: (isOpen) => onChange({ isOpen, scope: 'origin', origin, account: null }),
    });
  }
}

const keyOf = ({ accountId, livemode }: Caller) => `${accountId} ${livemode ? 'live' : 'test'}`;
const originOf = ({ baseUrl }: Pick<Caller, 'baseUrl'>) => new URL(baseUrl).origin;
