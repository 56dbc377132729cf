import { describeError, type Logger } from '../lib/log.ts';
import { OperationStore } from '../operations/store.ts';
import type { Instance } from '../store/instance.ts';
import type { DisputeDependencies } from './dependencies.ts';
import { keepEvidence } from './evidence.ts';
import { DisputeStore } from './store.ts';

/** What the operations on disputes need. */
export const createDisputes = ({
  log,
  instance,
  ...deps
}: Omit<DisputeDependencies, 'store' | 'operations' | 'onTrouble'> & {
  readonly log: Logger;
  readonly instance: Instance;
}): DisputeDependencies => ({
  ...deps,
  store: new DisputeStore(deps.db),
  operations: new OperationStore(deps.db, instance.number, keepEvidence),
  onTrouble: ({ accountId: account }, message, about, error) =>
    log.error(message, { dispute: about?.id ?? '', account, ...describeError(error) }),
});
