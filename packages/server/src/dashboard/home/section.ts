import type { DashboardApi } from '../api.ts';
import type { InboxParts } from '../disputes/parts.ts';
import { disputesDashboardRoutes } from '../disputes/routes.ts';
import type { FigureParts } from '../figures/count.ts';
import { mailsDashboardRoutes } from '../mails/routes.ts';
import { homeDashboardRoutes } from './routes.ts';

/** The home page, the inbox of disputes, the outbox of mail. @param parts with real time as the clock */
export function homeSectionRoutes(
  api: DashboardApi,
  parts: FigureParts & InboxParts & { readonly sendsMail: boolean },
): void {
  homeDashboardRoutes(api, parts);
  disputesDashboardRoutes(api, parts);
  mailsDashboardRoutes(api, { db: parts.db, sends: parts.sendsMail });
}
