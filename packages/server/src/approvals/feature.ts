import type { Logger } from '../lib/log/log.ts';
import { logIncident } from '../operations/log-incident.ts';
import type { ApprovalDependencies } from './dependencies.ts';

type MadeHere = 'db' | 'clock' | 'randomBytes' | 'isKeyTaken' | 'onIncident';

/**
 * Assembles the dependencies of approvals. Approved refunds, captures and links run through the same functions as API requests.
 */
export function createApprovals({
  log,
  ...deps
}: Omit<ApprovalDependencies, MadeHere> & { readonly log: Logger }): ApprovalDependencies {
  const { db, clock, randomBytes, isKeyTaken } = deps.refunds;
  return { ...deps, db, clock, randomBytes, isKeyTaken, onIncident: logIncident(log, 'approval') };
}
