import pg from 'pg';
import { systemClock } from '../../lib/clock.ts';
import type { DatabaseHost } from '../../lib/web/database-hosts.ts';
import { cutOff } from './cut-off.ts';
import { driverAddress } from './driver-address.ts';
import { isServerGone } from './errors.ts';

/** The role that a server reports. */
export type Role =
  /** `timeline` counts promotions, as eight hexadecimal digits: the leader with the greater timeline was promoted last. */
  | { readonly is: 'leader'; readonly timeline: string }
  | { readonly is: 'standby' }
  /** `isGone`: the server is unreachable, as opposed to a late or unexpected answer. */
  | { readonly is: 'away'; readonly isGone: boolean; readonly error: Error };

const question = `select case
  when pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' then null
  else substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8) end as timeline`;

/** Asks one server repeatedly for its role, on a dedicated connection. */
export class Probe {
  readonly #host: DatabaseHost;
  readonly #timeoutMs: number;
  #client: pg.Client | undefined;

  constructor(host: DatabaseHost, timeoutMs: number) {
    this.#host = host;
    this.#timeoutMs = timeoutMs;
  }

  async ask(): Promise<Role> {
    const isConnected = this.#client !== undefined;
    const role = await this.#askOnce();
    // Perhaps only that connection was closed: try once more on a new one.
    return isConnected && role.is === 'away' && role.isGone ? this.#askOnce() : role;
  }

  /** Closes the connection without notifying the server, which may hang. */
  close(): void {
    const client = this.#client;
    this.#client = undefined;
    if (client !== undefined) cutOff(client);
  }

  async #askOnce(): Promise<Role> {
    const ended = new AbortController();
    const late = systemClock.delay(this.#timeoutMs, ended.signal).then(() => {
      throw new Error('it does not answer');
    });
    try {
      const timeline = await Promise.race([this.#timeline(), late]);
      return timeline === null ? { is: 'standby' } : { is: 'leader', timeline };
    } catch (thrown) {
      this.close();
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      return { is: 'away', isGone: isServerGone(error), error };
    } finally {
      ended.abort();
      late.catch(() => {});
    }
  }

  async #timeline(): Promise<string | null> {
    const client = this.#client ?? (await this.#connect());
    const { rows } = await client.query<{ timeline: string | null }>(question);
    return rows[0]?.timeline ?? null;
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: driverAddress(this.#host.url),
      application_name: 'till finds the leader',
    });
    client.on('error', () => {});
    this.#client = client;
    await client.connect();
    return client;
  }
}
