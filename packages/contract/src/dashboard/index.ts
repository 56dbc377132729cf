import type { DashboardOperation } from '../api/dashboard-operation.ts';
import { approvalsDashboardApi } from './approvals/approvals.ts';
import { developersApi } from './developers/developers.ts';
import { homeApi } from './home/home.ts';
import { paymentsSectionApi } from './payments/payments-section.ts';
import { auditApi } from './people/audit.ts';
import { securityApi } from './people/security.ts';
import { sessionApi } from './people/session.ts';
import { teamApi } from './people/team.ts';
import { settingsSectionApi } from './settings/settings-section.ts';

export * from '../api/dashboard-operation.ts';
export * from './approvals/approvals.ts';
export * from './developers/developers.ts';
export * from './error.ts';
export * from './home/home.ts';
export * from './payments/payments-section.ts';
export * from './people/audit.ts';
export * from './people/security.ts';
export * from './people/session.ts';
export * from './people/team.ts';
export * from './settings/settings-section.ts';

/** Every operation of the dashboard's own API, by id. */
export const dashboardApi = {
  ...sessionApi,
  ...securityApi,
  ...teamApi,
  ...auditApi,
  ...approvalsDashboardApi,
  ...developersApi,
  ...homeApi,
  ...paymentsSectionApi,
  ...settingsSectionApi,
} as const satisfies Record<string, DashboardOperation>;
