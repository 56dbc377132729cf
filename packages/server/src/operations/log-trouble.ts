import { describeError, type LogFieldName, type Logger } from '../lib/log/log.ts';
import type { OnTrouble } from './operation.ts';

/** Logs what goes wrong with an operation as an error, with the id of what it is about under `field`. */
export const logTrouble =
  (log: Logger, field: LogFieldName): OnTrouble =>
  ({ accountId }, message, about, error) =>
    log.error(message, {
      ...(about === null ? {} : { [field]: about.id }),
      account: accountId,
      ...(error === undefined ? {} : describeError(error)),
    });
