import type { DashboardOperation } from './operation.ts';
import { sandboxApi } from './sandbox.ts';
import { settingsApi } from './settings.ts';

export * from './sandbox.ts';
export * from './settings.ts';

/** The account's settings, and the tools of the sandbox. */
export const settingsSectionApi = {
  ...settingsApi,
  ...sandboxApi,
} as const satisfies Record<string, DashboardOperation>;
