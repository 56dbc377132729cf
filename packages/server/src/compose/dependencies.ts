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

/** The ways out of the process. Absent, they lead where they always do; tests of crashes break them. */
export interface Ways {
  toProcessor(processor: Provider, usual: Transport): Transport;
  toReceivers(usual: WebhookTransport): WebhookTransport;
}

/** Of a cell that is not home: what it shares with the server that takes its requests. */
export interface Surrounding {
  /** The home database, with the people and the directory. */
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
  /** Absent: this is home. */
  readonly within?: Surrounding | undefined;
  /** Of home: where accounts are that are not there. Absent: nobody looks. */
  readonly directory?: Directory | undefined;
  /** What the dashboard's pages and exports read with: few connections, each statement bounded in time. */
  readonly reads: Database;
  /** Where lists, figures and exports may be read instead. Absent: nowhere. */
  readonly replica?: Pick<Replica, 'over' | 'lagMs' | 'maxLagMs'> | undefined;
  /** Absent: nobody looks. */
  readonly space?: DiskSpace | undefined;
  readonly clock: Clock;
  readonly keys: DerivedKeys;
  readonly masterKeys: MasterKeys;
  readonly instance: Instance;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly ways?: Ways | undefined;
  /** Absent: no traces are recorded. */
  readonly tracing?: Tracing | undefined;
}

/** The database with the people: that of home. */
export const homeOf = ({ db, within }: Pick<ServerDependencies, 'db' | 'within'>): Database =>
  within?.home ?? db;

/** Every exchange that one operation may need, and room for the commits around them. */
export const leaseMs = (config: Config) => 6 * config.processorTimeoutMs + 15_000;
