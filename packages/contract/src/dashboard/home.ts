import { disputeOperations } from './home/disputes.ts';
import { figureOperations } from './home/figures.ts';
import { mailOperations } from './home/mails.ts';
import { overviewOperations } from './home/overview.ts';
import type { DashboardOperation } from './operation.ts';

export * from './home/disputes.ts';
export * from './home/figures.ts';
export * from './home/mails.ts';
export * from './home/overview.ts';

/** The home page, the inbox of disputes, the outbox of mail. */
export const homeApi = {
  ...overviewOperations,
  ...figureOperations,
  ...disputeOperations,
  ...mailOperations,
} as const satisfies Record<string, DashboardOperation>;
