import { describeError, type Logger } from '../lib/log/log.ts';
import { OperationStore } from '../operations/store.ts';
import type { PaymentDependencies } from '../payments/dependencies.ts';
import type { Instance } from '../store/instance.ts';
import type { DisputeDependencies } from './dependencies.ts';
import { keepEvidence } from './evidence.ts';
import { DisputeStore } from './store.ts';

/** Assembles the dependencies of the operations on disputes. */
export function createDisputes({
  log,
  instance,
  payments,
  files,
  mail,
  write,
}: Pick<DisputeDependencies, 'files' | 'mail' | 'write'> & {
  readonly log: Logger;
  readonly instance: Instance;
  readonly payments: PaymentDependencies;
}): DisputeDependencies {
  const { db, clock, waits, randomBytes, lease, connect, keepAnswer, isKeyTaken } = payments;
  return {
    db,
    clock,
    waits,
    randomBytes,
    lease,
    connect,
    keepAnswer,
    isKeyTaken,
    store: new DisputeStore(db),
    operations: new OperationStore({ db, clock }, instance.number, keepEvidence),
    files,
    payments: payments.store,
    mail,
    write,
    onIncident: ({ accountId: account }, message, about, error) =>
      log.error(message, { dispute: about?.id ?? '', account, ...describeError(error) }),
  };
}
