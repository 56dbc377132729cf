import type { Config } from '../config.ts';
import type { Clock } from '../lib/clock.ts';
import type { DerivedKeys } from '../lib/keys.ts';
import type { Logger } from '../lib/log.ts';
import type { Metrics } from '../lib/metrics.ts';
import type { Database } from '../store/database.ts';
import type { Instance } from '../store/instance.ts';
import type { MasterKeys } from '../vault/master-keys.ts';

export interface ServerParts {
  readonly config: Config;
  readonly db: Database;
  readonly clock: Clock;
  readonly keys: DerivedKeys;
  readonly masterKeys: MasterKeys;
  readonly instance: Instance;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** Every exchange that one operation may need, and room for the commits around them. */
export const leaseMs = (config: Config) => 6 * config.processorTimeoutMs + 15_000;
