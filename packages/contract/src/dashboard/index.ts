import { auditApi } from './audit.ts';
import { developersApi } from './developers.ts';
import { homeApi } from './home.ts';
import type { DashboardOperation } from './operation.ts';
import { paymentsSectionApi } from './payments-section.ts';
import { securityApi } from './security.ts';
import { sessionApi } from './session.ts';
import { settingsSectionApi } from './settings-section.ts';
import { teamApi } from './team.ts';

export * from './audit.ts';
export * from './developers.ts';
export * from './error.ts';
export * from './home.ts';
export * from './operation.ts';
export * from './payments-section.ts';
export * from './security.ts';
export * from './session.ts';
export * from './settings-section.ts';
export * from './team.ts';

/** Every operation of the dashboard's own API, by id. */
export const dashboardApi = {
  ...sessionApi,
  ...securityApi,
  ...teamApi,
  ...auditApi,
  ...developersApi,
  ...homeApi,
  ...paymentsSectionApi,
  ...settingsSectionApi,
} as const satisfies Record<string, DashboardOperation>;
