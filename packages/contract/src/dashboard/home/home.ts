import type { DashboardOperation } from '../../api/dashboard-operation.ts';
import { disputeOperations } from './disputes.ts';
import { figureOperations } from './figures.ts';
import { mailOperations } from './mails.ts';
import { overviewOperations } from './overview.ts';

export * from './dispute-team.ts';
export * from './disputes.ts';
export * from './figures.ts';
export * from './mails.ts';
export * from './overview.ts';

/** The home page, the inbox of disputes and the outbox of emails. */
export const homeApi = {
  ...overviewOperations,
  ...figureOperations,
  ...disputeOperations,
  ...mailOperations,
} as const satisfies Record<string, DashboardOperation>;
