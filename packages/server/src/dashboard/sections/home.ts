import type { DashboardApi } from '../api.ts';
import type { Inbox } from '../disputes/dependencies.ts';
import { disputesDashboardRoutes } from '../disputes/routes.ts';
import { type HomeDependencies, homeDashboardRoutes } from '../home/routes.ts';
import { mailsDashboardRoutes } from '../mails/routes.ts';

/** The home page, the inbox of disputes, and the outbox of mail. @param deps with real time as the clock */
export function homeSectionRoutes(
  api: DashboardApi,
  deps: HomeDependencies & Inbox & { readonly sendsMail: boolean },
): void {
  homeDashboardRoutes(api, deps);
  disputesDashboardRoutes(api, deps);
  mailsDashboardRoutes(api, { db: deps.reads, sends: deps.sendsMail });
}
