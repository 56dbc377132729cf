import { describeError, type LogFieldName, type Logger } from '../lib/log/log.ts';
import type { OnIncident } from './operation.ts';

/** Logs what goes wrong with an operation as an error, with the id of what it is about under `field`. */
export const logIncident =
  (log: Logger, field: LogFieldName): OnIncident =>
  ({ accountId }, message, about, error) =>
    log.error(message, {
      ...(about === null ? {} : { [field]: about.id }),
      account: accountId,
      ...(error === undefined ? {} : describeError(error)),
    });
