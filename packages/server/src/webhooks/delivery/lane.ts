import type { Clock } from '../../lib/clock.ts';
import { AccountShares, ConcurrencyLimits } from './concurrency-limits.ts';
import type { ClaimedDelivery, ClaimLimits, DeliveryStore, EndedAttempt, Hint } from './delivery-store.ts';
import type { SlowEndpoints } from './slow-endpoints.ts';

/** Hints beyond this number are dropped: the next sweep finds what they were about. */
const mostHints = 10_000;
const hintsPerClaim = 128;

/** Share of all places that is free before more is claimed, so that a claim is worth its round trip. */
const worthClaiming = 1 / 8;

/** Spares the making of an error that nobody reads. */
const stirred = 'stirred';
/** Before the first account. */
const start = '';

export interface LaneOptions {
  readonly store: Pick<DeliveryStore, 'claimHinted' | 'claimAny'>;
  readonly clock: Clock;
  readonly slow: SlowEndpoints;
  /** Which endpoints this lane serves (`ClaimLimits.troubled`). */
  readonly troubled: boolean;
  /** Exchanges at once, in all. */
  readonly slots: number;
  /** Exchanges at once with one endpoint: first, and at most once it has proved quick. */
  readonly perEndpoint: { readonly first: number; readonly most: number };
  /** How often all endpoints are looked through for what nobody gave a hint of. */
  readonly sweepMs: number;
  readonly leaseMs: number;
  readonly attempt: (delivery: ClaimedDelivery) => Promise<EndedAttempt>;
  readonly record: (attempt: EndedAttempt) => Promise<void>;
  /** Takes a delivery that may have ended a process before. */
  readonly suspect: (delivery: ClaimedDelivery) => void;
  readonly onTrouble: (error: unknown) => void;
}

/**
 * Sends due deliveries with bounded concurrency, in all, per account and per endpoint. Accounts take turns: those with
 * something new or more to send in the order in which that became known, and in sweeps all others in the order of their ids.
 */
export class DeliveryLane {
  readonly #options: LaneOptions;
  readonly #endpoints: ConcurrencyLimits;
  readonly #shares = new AccountShares();
  readonly #hints = new Map<string, Hint>();
  readonly #stopping = new AbortController();
  #running = 0;
  /** Attempts that have ended and are being recorded: they take no place, but there may not be ever more of them. */
  #recording = 0;
  #sweeping = true;
  #sweptAt = Number.NEGATIVE_INFINITY;
  #cursor = start;
  #turn: 'hints' | 'sweep' = 'hints';
  /** Something new may be due: no reason to wait until more places are free. */
  #urgent = false;
  /** Something changed since the loop last looked. */
  #stirred = false;
  #sleep = new AbortController();

  constructor(options: LaneOptions) {
    this.#options = options;
    this.#endpoints = new ConcurrencyLimits(options.perEndpoint);
  }

  /** Something of this account is due now. */
  wake(accountId: string): void {
    this.#urgent = true;
    this.#hint({ accountId, endpointId: null });
  }

  /** Begins to send. @returns claims nothing more; resolves once the exchanges under way are recorded */
  start(): () => Promise<void> {
    const ended = this.#run();
    return async () => {
      this.#stopping.abort();
      this.#stir();
      await ended;
    };
  }

  async #run(): Promise<void> {
    const { clock, sweepMs, onTrouble } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      this.#stirred = false;
      try {
        if (!(await this.#claim())) await this.#rest();
      } catch (error) {
        onTrouble(error);
        await clock.delay(sweepMs, signal);
      }
    }
    while (this.#running + this.#recording > 0) await this.#sleepFor(sweepMs);
  }

  /** Something of this account, or of one endpoint of it, may be due. */
  #hint(hint: Hint): void {
    if (this.#hints.size < mostHints) this.#hints.set(hint.endpointId ?? hint.accountId, hint);
    this.#stir();
  }

  #stir(): void {
    this.#stirred = true;
    this.#sleep.abort(stirred);
  }

  async #sleepFor(ms: number): Promise<void> {
    this.#sleep = new AbortController();
    await this.#options.clock.delay(ms, this.#sleep.signal);
  }

  /** Until a hint comes, a place is free, or the next sweep is due. */
  async #rest(): Promise<void> {
    const { clock, sweepMs } = this.#options;
    const left =
      this.#free() >= this.#options.slots * worthClaiming
        ? this.#sweptAt + sweepMs - clock.elapsed()
        : sweepMs;
    if (left > 0 && !this.#stirred) await this.#sleepFor(left);
    if (!this.#sweeping && clock.elapsed() >= this.#sweptAt + sweepMs) {
      this.#sweeping = true;
      this.#cursor = start;
    }
  }

  #free(): number {
    const { slots } = this.#options;
    return this.#recording > slots ? 0 : slots - this.#running;
  }

  /** @returns whether it is worth looking again at once */
  async #claim(): Promise<boolean> {
    const free = this.#free();
    if (free <= 0 || (!this.#urgent && free < this.#options.slots * worthClaiming)) return false;
    const hinted = this.#hints.size > 0 && (this.#turn === 'hints' || !this.#sweeping);
    this.#turn = hinted ? 'sweep' : 'hints';
    if (hinted) await this.#claimHinted(free);
    else if (this.#sweeping) await this.#claimSwept(free);
    else return false;
    return true;
  }

  async #claimHinted(free: number): Promise<void> {
    const hints = [...this.#hints].slice(0, hintsPerClaim);
    this.#urgent = false;
    for (const [key] of hints) this.#hints.delete(key);
    const named = hints.flatMap(([, { endpointId }]) => endpointId ?? []);
    const limits = this.#limits(free, named);
    const claimed = await this.#options.store.claimHinted(
      limits,
      hints.map(([, hint]) => hint),
    );
    const full = claimed.length >= limits.most;
    // The last ones may have got nothing for want of places.
    if (full) {
      for (const [key, hint] of hints) this.#hints.set(key, hint);
    }
    this.#begin(claimed, limits, full ? [] : named);
    for (const [, { accountId }] of hints)
      if (limits.accountRooms[accountId] === 0) this.#shares.noteMore(accountId);
  }

  async #claimSwept(free: number): Promise<void> {
    if (this.#cursor === start) this.#sweptAt = this.#options.clock.elapsed();
    const limits = this.#limits(free, []);
    const claimed = await this.#options.store.claimAny(limits, this.#cursor);
    this.#sweeping = claimed.length >= limits.most;
    for (const { account_id } of claimed) if (account_id > this.#cursor) this.#cursor = account_id;
    // The last one may have got only a part of what is due, and the sweep goes on behind it.
    if (this.#sweeping) this.#hint({ accountId: this.#cursor, endpointId: null });
    this.#begin(claimed, limits, []);
  }

  #limits(free: number, named: readonly string[]): ClaimLimits {
    const { clock, leaseMs, troubled, perEndpoint, slow } = this.#options;
    const now = clock.now();
    return {
      now,
      leaseUntil: new Date(now.getTime() + leaseMs),
      troubled,
      // Not all at once, or the accounts of one claim would take the share of those behind them.
      most: Math.min(free, Math.max(this.#options.slots * worthClaiming, Math.floor(free / 2))),
      perEndpoint: perEndpoint.first,
      rooms: this.#endpoints.rooms(named),
      perAccount: this.#shares.room(free),
      accountRooms: this.#shares.rooms(free),
      slow: slow.list(),
    };
  }

  #begin(claimed: readonly ClaimedDelivery[], limits: ClaimLimits, searched: readonly string[]): void {
    const counts = new Map<string, number>();
    const accounts = new Map<string, number>();
    for (const delivery of claimed) {
      counts.set(delivery.endpoint_id, (counts.get(delivery.endpoint_id) ?? 0) + 1);
      accounts.set(delivery.account_id, (accounts.get(delivery.account_id) ?? 0) + 1);
      if (delivery.suspect) this.#options.suspect(delivery);
      else void this.#send(delivery);
    }
    this.#endpoints.noteClaim(counts, limits.rooms, searched);
    for (const [id, count] of accounts) {
      if (count >= (limits.accountRooms[id] ?? limits.perAccount)) this.#shares.noteMore(id);
    }
  }

  async #send(delivery: ClaimedDelivery): Promise<void> {
    const { slow } = this.#options;
    const { account_id: accountId, endpoint_id: id } = delivery;
    this.#endpoints.begin(id);
    this.#shares.begin(accountId);
    this.#running += 1;
    const ended = await this.#attempt(delivery);
    slow.note(id, ended?.durationMs ?? 0);
    this.#running -= 1;
    const more = this.#endpoints.end(id, ended?.state === 'succeeded' && !slow.has(id));
    if (this.#shares.end(accountId, this.#free(), more)) this.#hint({ accountId, endpointId: null });
    else if (more) this.#hint({ accountId, endpointId: id });
    else this.#stir();
    if (ended !== undefined) await this.#record(ended);
  }

  async #attempt(delivery: ClaimedDelivery): Promise<EndedAttempt | undefined> {
    try {
      return await this.#options.attempt(delivery);
    } catch (error) {
      this.#options.onTrouble(error);
      return undefined;
    }
  }

  async #record(ended: EndedAttempt): Promise<void> {
    this.#recording += 1;
    await this.#options.record(ended).catch(this.#options.onTrouble);
    this.#recording -= 1;
    this.#stir();
  }
}
