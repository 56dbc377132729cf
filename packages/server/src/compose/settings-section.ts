import { triggers } from '@till/sandbox';
import type { DashboardApi } from '../dashboard/api.ts';
import { sandboxDashboardRoutes } from '../dashboard/sandbox/routes.ts';
import { settingsDashboardRoutes } from '../dashboard/settings/routes.ts';
import type { ServerDependencies } from './dependencies.ts';
import type { Features } from './features.ts';
import { composeTestHelpers } from './sandbox-helpers.ts';

/** The dashboard's settings and sandbox tools. */
export function mountSettingsSection(
  api: DashboardApi,
  { config, db, reads, clock }: Pick<ServerDependencies, 'config' | 'db' | 'reads' | 'clock'>,
  { features }: { readonly features: Features },
): void {
  const { people, payments } = features;
  const { randomBytes } = people;
  settingsDashboardRoutes(api, {
    db,
    clock,
    randomBytes,
    connect: payments.connect,
    liveSimulation: config.liveSimulation,
  });
  const { helpers, disputes } = composeTestHelpers({ db, clock }, { features, randomBytes });
  sandboxDashboardRoutes(api, {
    db: reads,
    clock,
    helpers,
    disputes,
    payments,
    refunds: features.refunds,
    triggers,
    publicAddress: people.publicAddress,
  });
}
