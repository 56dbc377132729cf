import type { DashboardOperation } from '../../api/dashboard-operation.ts';
import { brandingApi } from './branding.ts';
import { cardTestingApi } from './card-testing.ts';
import { goLiveApi } from './go-live.ts';
import { refundLimitsApi } from './refund-limits.ts';
import { roleApprovalsApi } from './role-approvals.ts';
import { sandboxApi } from './sandbox.ts';
import { settingsApi } from './settings.ts';

export * from './branding.ts';
export * from './card-testing.ts';
export * from './go-live.ts';
export * from './imported-report.ts';
export * from './refund-limits.ts';
export * from './role-approvals.ts';
export * from './sandbox.ts';
export * from './settings.ts';

/** The account's settings and the sandbox tools. */
export const settingsSectionApi = {
  ...settingsApi,
  ...brandingApi,
  ...goLiveApi,
  ...refundLimitsApi,
  ...cardTestingApi,
  ...roleApprovalsApi,
  ...sandboxApi,
} as const satisfies Record<string, DashboardOperation>;
