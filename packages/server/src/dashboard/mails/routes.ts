import { ApiError } from '@till/contract';
import { dashboardApi, type Mail } from '@till/contract/dashboard';
import { isoSeconds } from '../../lib/clock.ts';
import { findMailText, type MailLine, mailPage } from '../../mail/reads.ts';
import type { Queryable } from '../../store/database.ts';
import type { DashboardApi } from '../api.ts';
import { cappedPage, pageOf } from '../developers/pages.ts';

export interface OutboxDependencies {
  readonly db: Queryable;
  /** False if no mail server is configured. */
  readonly sends: boolean;
}

const showTime = (time: Date | null): string | null => time && isoSeconds(time);

const present = (row: MailLine): Mail => ({
  ...row,
  created_at: isoSeconds(row.created_at),
  sent_at: showTime(row.sent_at),
  next_try_at: showTime(row.next_try_at),
});

/** Matches links that sign their holder in as the recipient of the mail. */
const secretLinks = /(\/dashboard\/(?:invite|setup)\/)[A-Za-z0-9_-]+/g;

const withoutSecrets = (text: string): string =>
  text.replaceAll(secretLinks, '$1… (shown to the recipient only)');

/** The operations on the outbox of an account. */
export function mailsDashboardRoutes(api: DashboardApi, { db, sends }: OutboxDependencies): void {
  api.mount(dashboardApi.listMails, async ({ staff, query }) => {
    const place = pageOf(query);
    const { rows, ...count } = await mailPage(db, staff.accountId, query, place);
    return { status: 200, body: { ...cappedPage(rows.map(present), count, place), sends } };
  });
  api.mount(dashboardApi.retrieveMail, async ({ staff, params }) => {
    const mail = await findMailText(db, staff.accountId, params.id ?? '');
    if (mail === undefined) throw new ApiError('not_found', 'There is no mail with this id.');
    return { status: 200, body: { ...present(mail), text: withoutSecrets(mail.text) } };
  });
}
