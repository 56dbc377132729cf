import { systemClock } from '../../lib/clock.ts';
import type { Database, Queryable } from '../database.ts';
import { isServerGone, sqlState } from '../reach/errors.ts';

/** The pause between two probes of the primary, and of each standby. */
const pauseMs = 500;
/** A standby that has not answered a probe for this long is not used for reads. */
const probeTimeoutMs = 1_500;
/** SQLSTATE of a statement that conflicts with the standby's replay, or that was running when the standby became the primary. */
const recoveryConflict = '40001';

/** The position of a server in the WAL, and the cluster of that WAL. */
export interface Position {
  /** Bytes from the beginning of the WAL; null if the server does not have the role that the question assumes. */
  readonly position: string | null;
  readonly cluster: string;
}

export const positionQuery = (role: 'primary' | 'standby') => ({
  name: `position_of_${role}`,
  text: `select system_identifier::text as cluster,
           case when pg_is_in_recovery() then ${role === 'primary' ? 'null' : 'pg_last_wal_replay_lsn()'}
             else ${role === 'primary' ? 'pg_current_wal_flush_lsn()' : 'null'} end - '0/0'::pg_lsn as position
         from pg_control_system()`,
  scope: 'anybody' as const,
});

/** A standby and the connections to it. */
export interface Standby {
  /** `host:port`, for messages. */
  readonly name: string;
  /** A dedicated connection, so that no long statement delays the probes. */
  readonly probe: Queryable;
  readonly reads: Queryable;
}

interface Watched {
  readonly standby: Standby;
  /** The standby has everything that was acknowledged until this time; undefined if that is unknown. */
  upTo: number | undefined;
  askedAt: number | undefined;
}

export interface ReplicaDependencies {
  /** A dedicated connection to the primary. */
  readonly primary: Queryable;
  readonly standbys: readonly Standby[];
  readonly maxLagMs: number;
  /** Called whenever reads move to a standby, or back to the primary (undefined). */
  readonly onChange: (standby: string | undefined) => void;
}

/**
 * Measures how far behind the standbys are. It repeatedly asks the primary for its WAL position. A standby that has replayed a
 * position has everything that was acknowledged before that question. Only the clock of this process is used.
 */
export class Replica {
  readonly maxLagMs: number;
  readonly #deps: ReplicaDependencies;
  readonly #watched: readonly Watched[];
  readonly #stopping = new AbortController();
  #marks: { readonly position: number; readonly at: number }[] = [];
  #cluster: string | undefined;
  #reported: string | undefined;

  constructor(deps: ReplicaDependencies) {
    this.#deps = deps;
    this.maxLagMs = deps.maxLagMs;
    this.#watched = deps.standbys.map((standby) => ({ standby, upTo: undefined, askedAt: undefined }));
    void this.#repeat(() => this.#probePrimary());
    for (const watched of this.#watched) void this.#repeat(() => this.#probeStandby(watched));
  }

  /** How far behind current reads are, in milliseconds; undefined if they use the primary. */
  lagMs(): number | undefined {
    const now = systemClock.elapsed();
    const best = this.#best(now);
    return best === undefined ? undefined : now - best.upTo;
  }

  /** A database that reads from the standby with the least lag, or from the primary if none is near enough. */
  over(primary: Database): Database {
    return {
      ...primary,
      query: async (statement) => {
        const best = this.#best();
        if (best === undefined) return primary.query(statement);
        try {
          return await best.standby.reads.query(statement);
        } catch (error) {
          const isLost = isServerGone(error);
          if (isLost) this.#forget(best.standby);
          if (!isLost && sqlState(error) !== recoveryConflict) throw error;
          return primary.query(statement);
        }
      },
    };
  }

  stop(): void {
    this.#stopping.abort();
  }

  #forget(standby: Standby): void {
    for (const watched of this.#watched) if (watched.standby === standby) watched.upTo = undefined;
  }

  #best(now = systemClock.elapsed()): { readonly standby: Standby; readonly upTo: number } | undefined {
    const near = this.#watched.flatMap(({ standby, upTo, askedAt }) => {
      const isSilent = askedAt !== undefined && now - askedAt > probeTimeoutMs;
      return upTo === undefined || isSilent || now - upTo > this.maxLagMs ? [] : [{ standby, upTo }];
    });
    return near.toSorted((one, other) => other.upTo - one.upTo)[0];
  }

  async #repeat(work: () => Promise<void>): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      await work();
      const name = this.#best()?.standby.name;
      if (name !== this.#reported) this.#deps.onChange(name);
      this.#reported = name;
      await systemClock.delay(pauseMs, this.#stopping.signal);
    }
  }

  async #probePrimary(): Promise<void> {
    const at = systemClock.elapsed();
    const [row] = await this.#deps.primary.query<Position>(positionQuery('primary')).catch(() => []);
    if (row === undefined || row.position === null) return;
    // The positions of a former primary mean nothing for another cluster.
    if (row.cluster !== this.#cluster) this.#marks = [];
    this.#cluster = row.cluster;
    this.#marks = this.#marks.filter((mark) => at - mark.at <= this.maxLagMs + probeTimeoutMs);
    this.#marks.push({ position: Number(row.position), at });
  }

  async #probeStandby(watched: Watched): Promise<void> {
    watched.askedAt = systemClock.elapsed();
    const [row] = await watched.standby.probe.query<Position>(positionQuery('standby')).catch(() => []);
    watched.askedAt = undefined;
    const position = row?.cluster === this.#cluster ? row?.position : undefined;
    if (position == null) watched.upTo = undefined;
    else watched.upTo = this.#marks.findLast((mark) => mark.position <= Number(position))?.at;
  }
}
