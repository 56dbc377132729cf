import type { Clock } from '../lib/clock.ts';
import { OperationWaits } from '../lib/waiting/operation-waits.ts';
import type { Database } from '../store/database.ts';
import type { Instance } from '../store/instance.ts';
import type { Lease } from './operation.ts';
import { OperationStore } from './store.ts';

/** Creates what all features that ask processors share: the store of open operations, and the waits for one to end. */
export const createOperations = ({
  db,
  clock,
  instance,
  leaseMs,
}: {
  readonly db: Database;
  readonly clock: Clock;
  readonly instance: Instance;
  readonly leaseMs: number;
}) => ({
  db,
  clock,
  operations: new OperationStore({ db, clock }, instance.number),
  waits: new OperationWaits(clock),
  lease: (): Lease => ({ owner: instance.number, until: new Date(clock.now().getTime() + leaseMs) }),
});
