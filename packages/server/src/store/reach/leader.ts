import type pg from 'pg';
import { systemClock } from '../../lib/clock.ts';
import { messageOf } from '../../lib/text/message-of.ts';
import type { DatabaseHost } from '../../lib/web/database-hosts.ts';
import { cutOff } from './cut-off.ts';
import { EarlierTimelineError, NoLeaderError } from './errors.ts';
import { Probe, type Role } from './probe.ts';

/** The pause between two probes of a server. The shorter one applies while there is no leader or the leader is suspected. */
const defaultPauseMs = 400;
const shortPauseMs = 100;
/** A server that does not answer a probe for this long is suspected, and probed again on a new connection. */
const probeTimeoutMs = 1_000;
/** A leader that hangs for this long without a successor is given up, and the requests that wait for it fail. */
const maxHangMs = 5_000;
const endsWithinMs = 2_000;

/** Pauses for `ms`, or until `wakeAll` is called on the set. */
async function pauseIn(pausing: Set<AbortController>, ms: number): Promise<void> {
  const woken = new AbortController();
  pausing.add(woken);
  await systemClock.delay(ms, woken.signal);
  pausing.delete(woken);
}

function wakeAll(pausing: ReadonlySet<AbortController>): void {
  for (const woken of pausing) woken.abort();
}

export interface LeaderDependencies {
  readonly hosts: readonly DatabaseHost[];
  readonly onLost: (error: Error) => void;
}

interface Watched {
  readonly host: DatabaseHost;
  readonly probe: Probe;
  role: Role | undefined;
  /** When the server was first seen away, if it still is. */
  awaySince: number;
}

/**
 * Follows the one server of several that accepts writes. It probes every server continuously, so that it notices a new leader
 * without waiting for the old one to fail. A leader with an earlier timeline than one seen before does not count: it came back,
 * or was cut off, and does not know about the failover yet. When the leader changes, every connection to the old one is cut off.
 */
export class Leader {
  readonly #deps: LeaderDependencies;
  readonly #watched: readonly Watched[];
  readonly #clients = new Map<pg.Client, DatabaseHost>();
  readonly #waiting = new Set<AbortController>();
  readonly #sleeping = new Set<AbortController>();
  #current: DatabaseHost | undefined;
  #latestTimeline = '';
  #isStopped = false;

  constructor(deps: LeaderDependencies) {
    this.#deps = deps;
    this.#watched = deps.hosts.map((host) => ({
      host,
      probe: new Probe(host, probeTimeoutMs),
      role: undefined,
      awaySince: 0,
    }));
    for (const watched of this.#watched) void this.#watch(watched);
  }

  /** The host to connect to. Without a leader this is the first host; its connection will notice that it is no leader. */
  get place(): DatabaseHost {
    const [first] = this.#deps.hosts;
    const place = this.#current ?? first;
    if (place === undefined) throw new Error('no host is named');
    return place;
  }

  /** Waits for a leader. @throws NoLeaderError if there is none within `timeoutMs` milliseconds */
  async known(timeoutMs: number): Promise<DatabaseHost> {
    if (this.#current === undefined && !this.#isStopped) await pauseIn(this.#waiting, timeoutMs);
    if (this.#current === undefined) throw this.#noLeaderError();
    return this.#current;
  }

  /** Registers a client from its construction until it ends, so that a client that is still connecting is cut off too. */
  register(client: pg.Client): void {
    this.#clients.set(client, this.place);
    client.once('end', () => this.#clients.delete(client));
  }

  /** Probes every server at once. Call it when a statement fails as it would on a server that is no longer the leader. */
  suspect(): void {
    wakeAll(this.#sleeping);
  }

  /**
   * Stops the probes. Connections that are still open after a while are cut off, since a server that hangs closes none.
   * @param closing the pools that are being closed
   */
  async stop(closing: Promise<unknown>): Promise<void> {
    this.#isStopped = true;
    this.suspect();
    wakeAll(this.#waiting);
    for (const { probe } of this.#watched) probe.close();
    const closed = new AbortController();
    const late = systemClock.delay(endsWithinMs, closed.signal).then(() => this.#cutOffBut(undefined));
    await closing;
    closed.abort();
    await late;
  }

  async #watch(watched: Watched): Promise<void> {
    while (!this.#isStopped) {
      const role = await watched.probe.ask();
      if (this.#isStopped) return watched.probe.close();
      if (role.is !== 'away') watched.awaySince = Number.POSITIVE_INFINITY;
      else if (watched.role?.is !== 'away') watched.awaySince = systemClock.elapsed();
      watched.role = role;
      this.#evaluate();
      await pauseIn(this.#sleeping, this.#isSettled() ? defaultPauseMs : shortPauseMs);
    }
  }

  #isSettled(): boolean {
    return this.#watched.some(({ host, role }) => host === this.#current && role?.is === 'leader');
  }

  #evaluate(): void {
    const best = this.#best();
    if (best !== undefined) {
      if (best !== this.#current) this.#follow(best);
      return;
    }
    const noLeader = this.#noLeaderError();
    if (this.#current === undefined && !(noLeader instanceof EarlierTimelineError)) return;
    this.#deps.onLost(noLeader);
    if (this.#current !== undefined && this.#isGone()) this.#follow(undefined);
  }

  /** The leader with the latest timeline; among several, the current leader is preferred. */
  #best(): DatabaseHost | undefined {
    let best: DatabaseHost | undefined;
    for (const { host, role } of this.#watched) {
      if (role?.is !== 'leader' || role.timeline < this.#latestTimeline) continue;
      const isLater = role.timeline > this.#latestTimeline;
      if (best === undefined || isLater || host === this.#current) best = host;
      this.#latestTimeline = role.timeline;
    }
    return best;
  }

  /** A leader that hangs may only be slow, and there is no other leader to follow, so it gets more time. */
  #isGone(): boolean {
    const watched = this.#watched.find(({ host }) => host === this.#current);
    if (watched?.role?.is !== 'away') return true;
    return watched.role.isGone || systemClock.elapsed() - watched.awaySince >= maxHangMs;
  }

  #follow(host: DatabaseHost | undefined): void {
    this.#current = host;
    this.#cutOffBut(host);
    if (host === undefined) return;
    wakeAll(this.#waiting);
  }

  #cutOffBut(kept: DatabaseHost | undefined): void {
    for (const [client, place] of this.#clients) {
      if (place !== kept) cutOff(client);
    }
  }

  #noLeaderError(): NoLeaderError {
    const said = this.#watched.map(({ host, role }) => `${host.name}: ${this.#describe(role)}`).join('; ');
    const isEarlier = this.#watched.some(({ role }) => role?.is === 'leader');
    const Kind = isEarlier ? EarlierTimelineError : NoLeaderError;
    return new Kind(`no server of the database takes writes (${said})`);
  }

  #describe(role: Role | undefined): string {
    if (role === undefined) return 'not asked yet';
    if (role.is === 'away') return messageOf(role.error);
    return role.is === 'standby'
      ? role.is
      : `leader of ${role.timeline}, earlier than ${this.#latestTimeline}`;
  }
}
