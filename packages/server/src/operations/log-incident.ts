import { describeError, type LogFieldName, type Logger } from '../lib/log/log.ts';
import type { OnIncident } from './operation.ts';

/** Returns a reporter that logs incidents of operations as errors, with the id of the object concerned under `field`. */
export const logIncident =
  (log: Logger, field: LogFieldName): OnIncident =>
  ({ accountId }, message, about, error) =>
    log.error(message, {
      ...(about === null ? {} : { [field]: about.id }),
      account: accountId,
      ...(error === undefined ? {} : describeError(error)),
    });
