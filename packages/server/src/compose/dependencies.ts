import type { Provider } from '@till/contract';
import type { Directory } from '../cells/directory.ts';
import type { Config } from '../config/config.ts';
import type { RateLimits } from '../http/rate-limit/feature.ts';
import type { Clock } from '../lib/clock.ts';
import type { DerivedKeys } from '../lib/keys.ts';
import type { Logger } from '../lib/log/log.ts';
import type { Metrics } from '../lib/metrics.ts';
import type { Transport } from '../processors/wire/transport.ts';
import type { Database } from '../store/database.ts';
import type { Instance } from '../store/instance.ts';
import type { DiskSpace } from '../store/maintenance/disk-space.ts';
import type { Replica } from '../store/standby/replica.ts';
import type { Tracing } from '../telemetry/feature.ts';
import type { MasterKeys } from '../vault/master-keys.ts';
import type { WebhookTransport } from '../webhooks/delivery/transport.ts';

/** The outgoing connections of the process. The crash tests replace them; if absent, the default ones are used. */
export interface OutgoingTransports {
  wrapProcessorTransport(processor: Provider, usual: Transport): Transport;
  wrapReceiverTransport(usual: WebhookTransport): WebhookTransport;
}

/** The services that a cell other than home shares with the server of home, which receives its requests. */
export interface Surrounding {
  /** The home database, which has the users and the directory. */
  readonly home: Database;
  readonly cell: string;
  readonly directory: Directory;
  readonly limits: RateLimits;
  readonly publicAddress: () => string;
  readonly draining: () => boolean;
}

export interface ServerDependencies {
  readonly config: Config;
  readonly db: Database;
  /** Absent if this is the server of home. */
  readonly within?: Surrounding | undefined;
  /** Set for home: knows the cells of the accounts that are not there. Absent if there is no directory. */
  readonly directory?: Directory | undefined;
  /** The database for the reads of the dashboard's pages and exports: few connections, and a time limit for each statement. */
  readonly reads: Database;
  /** The standby from which lists, figures and exports may be read instead; absent if there is none. */
  readonly replica?: Pick<Replica, 'over' | 'lagMs' | 'maxLagMs'> | undefined;
  /** Absent if the free disk space is not monitored. */
  readonly space?: DiskSpace | undefined;
  readonly clock: Clock;
  readonly keys: DerivedKeys;
  readonly masterKeys: MasterKeys;
  readonly instance: Instance;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly transports?: OutgoingTransports | undefined;
  /** Absent if no traces are recorded. */
  readonly tracing?: Tracing | undefined;
}

/** The home database, which has the users. */
export const homeOf = ({ db, within }: Pick<ServerDependencies, 'db' | 'within'>): Database =>
  within?.home ?? db;

/** The lease of an operation: long enough for all its requests to the processor, and for the commits around them. */
export const leaseMs = (config: Config) => 6 * config.processorTimeoutMs + 15_000;
