import type { DashboardApi } from '../api.ts';
import type { Inbox } from '../disputes/parts.ts';
import { disputesDashboardRoutes } from '../disputes/routes.ts';
import { mailsDashboardRoutes } from '../mails/routes.ts';
import { type HomeParts, homeDashboardRoutes } from './routes.ts';

/** The home page, the inbox of disputes, the outbox of mail. @param parts with real time as the clock */
export function homeSectionRoutes(
  api: DashboardApi,
  parts: HomeParts & Inbox & { readonly sendsMail: boolean },
): void {
  homeDashboardRoutes(api, parts);
  disputesDashboardRoutes(api, parts);
  mailsDashboardRoutes(api, { db: parts.reads, sends: parts.sendsMail });
}
