import type pg from 'pg';
import { systemClock } from '../../lib/clock.ts';
import { messageOf } from '../../lib/text/message-of.ts';
import type { DatabaseHost } from '../../lib/web/database-hosts.ts';
import { cutOff } from './cut-off.ts';
import { EarlierTimelineError, NoLeaderError } from './errors.ts';
import { Probe, type Role } from './probe.ts';

/** Between two questions to a server; while none leads, or one is doubted, the shorter one. */
const defaultPauseMs = 400;
const shortPauseMs = 100;
/** A server that has not answered for so long is doubted, and the question asked on a new connection. */
const probeTimeoutMs = 1_000;
/** A leader that has hung for so long, with none in its place, is given up: what waits for it is answered. */
const maxHangMs = 5_000;
const endsWithinMs = 2_000;

/** Those who pause are woken all at once, or wake by themselves. */
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
  /** When the present role was first seen to be away. */
  awaySince: number;
}

/**
 * Follows the one server of several that takes writes. Every server is asked all the time, so that another leader is seen
 * without waiting for the old one to fail. A leader of an earlier timeline than one seen before is none: it came back, or
 * was cut off, and does not know yet. When the leader changes every connection to the old one is cut off.
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

  /** Where connections go; the first host where none leads, which its connection will find out. */
  get place(): DatabaseHost {
    const [first] = this.#deps.hosts;
    const place = this.#current ?? first;
    if (place === undefined) throw new Error('no host is named');
    return place;
  }

  /** @throws NoLeaderError where there is none for so long, in milliseconds */
  async known(timeoutMs: number): Promise<DatabaseHost> {
    if (this.#current === undefined && !this.#isStopped) await pauseIn(this.#waiting, timeoutMs);
    if (this.#current === undefined) throw this.#none();
    return this.#current;
  }

  /** From its making until it ends, so that one that was still connecting is cut off too. */
  enlist(client: pg.Client): void {
    this.#clients.set(client, this.place);
    client.once('end', () => this.#clients.delete(client));
  }

  /** Asks every server at once: a statement failed as it would on a server that leads no longer. */
  suspect(): void {
    wakeAll(this.#sleeping);
  }

  /**
   * Looks no longer. What is still connected after a while is cut off: a server that hangs ends no connection.
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
      this.#judge();
      await pauseIn(this.#sleeping, this.#isSettled() ? defaultPauseMs : shortPauseMs);
    }
  }

  #isSettled(): boolean {
    return this.#watched.some(({ host, role }) => host === this.#current && role?.is === 'leader');
  }

  #judge(): void {
    const best = this.#best();
    if (best !== undefined) {
      if (best !== this.#current) this.#follow(best);
      return;
    }
    const none = this.#none();
    if (this.#current === undefined && !(none instanceof EarlierTimelineError)) return;
    this.#deps.onLost(none);
    if (this.#current !== undefined && this.#isGone()) this.#follow(undefined);
  }

  /** The leader of the latest timeline, the present one before others of the same. */
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

  /** One that hangs may only be slow, and nobody else could do better. */
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

  #none(): NoLeaderError {
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
