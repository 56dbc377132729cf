import type { Logger } from '../lib/log/log.ts';
import { logIncident } from '../operations/log-incident.ts';
import type { ApprovalDependencies } from './dependencies.ts';

type MadeHere = 'db' | 'clock' | 'randomBytes' | 'isKeyTaken' | 'onIncident';

/** What approvals need: refunds, captures and links are done as a merchant's request would. */
export function createApprovals({
  log,
  ...deps
}: Omit<ApprovalDependencies, MadeHere> & { readonly log: Logger }): ApprovalDependencies {
  const { db, clock, randomBytes, isKeyTaken } = deps.refunds;
  return { ...deps, db, clock, randomBytes, isKeyTaken, onIncident: logIncident(log, 'approval') };
}
