import { type ConnectionDependencies, type OwnConnection, openConnection } from './connections.ts';
import { listRevisions, type RevisionRow } from './store.ts';

const nameOf = (accountId: string, livemode: boolean) => `${accountId} ${livemode ? 'live' : 'test'}`;

const isCurrent = (known: OwnConnection | undefined, { revision, updated_at: at }: RevisionRow): boolean =>
  known?.revision === revision && known.updatedAt.getTime() === at.getTime();

/**
 * The decrypted connections of all accounts, as this process knows them. They are needed in the middle of a payment, so they
 * are kept in memory; `refresh` loads changes.
 */
export class KnownConnections {
  readonly #deps: Pick<ConnectionDependencies, 'db' | 'vault'>;
  readonly #onIncident: (accountId: string, error: unknown) => void;
  #known = new Map<string, OwnConnection>();
  /** Changes that could not be decrypted; each is reported once. */
  readonly #reported = new Set<string>();

  /** @param onIncident called once for a change that cannot be decrypted; the previous connection stays in use */
  constructor(
    deps: Pick<ConnectionDependencies, 'db' | 'vault'>,
    onIncident: (accountId: string, error: unknown) => void,
  ) {
    this.#deps = deps;
    this.#onIncident = onIncident;
  }

  /** Finds a connection as of the last refresh. */
  find(accountId: string, livemode: boolean): OwnConnection | undefined {
    return this.#known.get(nameOf(accountId, livemode));
  }

  /** Loads changed connections. Rejects if the database does not answer; then the known connections stay in use. */
  async refresh(): Promise<void> {
    const next = new Map<string, OwnConnection>();
    for (const row of await listRevisions(this.#deps.db)) {
      const { accountId, livemode } = row;
      const name = nameOf(accountId, livemode);
      const change = `${name} ${row.revision} ${row.updated_at.getTime()}`;
      const known = this.#known.get(name);
      try {
        const current = isCurrent(known, row) ? known : await openConnection(this.#deps, row);
        if (current !== undefined) next.set(name, current);
      } catch (error) {
        if (known !== undefined) next.set(name, known);
        if (!this.#reported.has(change)) this.#onIncident(accountId, error);
        this.#reported.add(change);
      }
    }
    this.#known = next;
  }
}
