interface EndpointLimit {
  running: number;
  /** Exchanges that may run at once. */
  cap: number;
  /** As much was claimed as there was room for: more may be due. */
  more: boolean;
}

/**
 * How many exchanges may run at once with each endpoint: few at first, one more with every quick success, few again
 * after anything else. Remembered for as long as there is something to send.
 */
export class ConcurrencyLimits {
  readonly #bounds: { readonly first: number; readonly most: number };
  readonly #endpoints = new Map<string, EndpointLimit>();

  constructor(bounds: { readonly first: number; readonly most: number }) {
    this.#bounds = bounds;
  }

  /** Places that are free for the endpoints that are busy and for those that are named; others have the first few. */
  rooms(named: readonly string[]): Record<string, number> {
    const rooms: Record<string, number> = {};
    const note = (id: string, limit: EndpointLimit | undefined) => {
      // Where the cap was lowered meanwhile more may run than it allows.
      if (limit !== undefined) rooms[id] = Math.max(0, limit.cap - limit.running);
    };
    for (const id of named) note(id, this.#endpoints.get(id));
    for (const [id, limit] of this.#endpoints) if (limit.running > 0) note(id, limit);
    return rooms;
  }

  begin(id: string): void {
    const limit = this.#endpoints.get(id);
    if (limit === undefined) this.#endpoints.set(id, { running: 1, cap: this.#bounds.first, more: false });
    else limit.running += 1;
  }

  /** @returns whether more may be due, and enough places are free again for a claim to be worth it */
  end(id: string, quick: boolean): boolean {
    const limit = this.#endpoints.get(id);
    if (limit === undefined) return false;
    limit.running -= 1;
    limit.cap = quick ? Math.min(this.#bounds.most, limit.cap + 1) : this.#bounds.first;
    this.#forgetIdle(id, limit);
    return limit.more && limit.running <= limit.cap / 2;
  }

  /**
   * Notes which endpoints may have more due, after a claim.
   * @param claimed how many were claimed for each endpoint, once they have begun
   * @param rooms what there was room for
   * @param searched endpoints of which all that was due was found, as far as there was room
   */
  noteClaim(
    claimed: ReadonlyMap<string, number>,
    rooms: Readonly<Record<string, number>>,
    searched: readonly string[],
  ): void {
    for (const id of new Set([...searched, ...claimed.keys()])) {
      const limit = this.#endpoints.get(id);
      if (limit === undefined) continue;
      limit.more = (claimed.get(id) ?? 0) >= (rooms[id] ?? this.#bounds.first);
      this.#forgetIdle(id, limit);
    }
  }

  #forgetIdle(id: string, limit: EndpointLimit): void {
    if (limit.running === 0 && !limit.more) this.#endpoints.delete(id);
  }
}

/** An account may hold this share of the places that no other account holds: alone 64 of 192. */
const share = 1 / 3;

/**
 * How many exchanges may run at once with all endpoints of one account. A share of what the others leave, so that the
 * first few busy accounts cannot use up all places, and nothing is kept free for those that have nothing to send.
 */
export class AccountShares {
  readonly #accounts = new Map<string, { running: number; more: boolean }>();

  /** Places for an account of which so many exchanges run already. */
  room(free: number, running = 0): number {
    const most = Math.max(1, Math.floor((free + running) * share));
    return Math.max(0, most - running);
  }

  /** Places that are free for the accounts that hold some. */
  rooms(free: number): Record<string, number> {
    return Object.fromEntries(
      Array.from(this.#accounts, ([id, { running }]) => [id, this.room(free, running)]),
    );
  }

  begin(id: string): void {
    const account = this.#accounts.get(id);
    if (account === undefined) this.#accounts.set(id, { running: 1, more: false });
    else account.running += 1;
  }

  /**
   * @param free places of the lane, the one that has become free included
   * @param anyway one of the endpoints has enough places free
   * @returns whether the account was kept to its share, and has enough places again for a claim to be worth it
   */
  end(id: string, free: number, anyway: boolean): boolean {
    const account = this.#accounts.get(id);
    if (account === undefined) return false;
    account.running -= 1;
    if (account.running === 0) this.#accounts.delete(id);
    const worth = account.more && (anyway || account.running <= this.room(free, account.running));
    if (worth) account.more = false;
    return worth;
  }

  /** Of this account as much was claimed as there was room for, or it had no room: more may be due. */
  noteMore(id: string): void {
    const account = this.#accounts.get(id);
    if (account !== undefined) account.more = true;
  }
}
