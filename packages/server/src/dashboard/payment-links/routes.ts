import { invalidParam } from '@till/contract';
import { DashboardError, dashboardApi, type Role } from '@till/contract/dashboard';
import { readBranding } from '../../accounts/branding.ts';
import { approvalThreshold } from '../../accounts/role-approvals.ts';
import { approvalForLink } from '../../approvals/ask.ts';
import type { ApprovalDependencies } from '../../approvals/dependencies.ts';
import { linkMail } from '../../checkout/link/link-mail.ts';
import { listOfPage, placeOfPage } from '../../lib/list.ts';
import { isMailbox } from '../../mail/address.ts';
import { queueMailTo } from '../../mail/queue-mail.ts';
import { claimLinkMail } from '../../payment-links/link-mails.ts';
import {
  createPaymentLink,
  type LinkDependencies,
  retrieveLink,
  updatePaymentLink,
} from '../../payment-links/payment-links.ts';
import { largestPayment, loggedLink, loggedNewLink, opensLink } from '../../payment-links/row.ts';
import type { RefundDependencies } from '../../refunds/dependencies.ts';
import type { Database } from '../../store/database.ts';
import type { DashboardApi, StaffCall } from '../api.ts';
import { runUnlessApprovalNeeded } from '../approvals/requester.ts';
import type { DashboardAnswer } from '../call.ts';
import { takeLinkMail } from './mail-limits.ts';
import { exportPaymentLinks, filterOf, linkItem } from './payment-links.ts';

export interface LinksSection {
  readonly links: LinkDependencies;
  /** The same, with the database connections that pages read with. */
  readonly reading: LinkDependencies;
  readonly db: Database;
  readonly mail: RefundDependencies['mail'];
  readonly approvals: ApprovalDependencies;
}

const perPage = 50;

const mayNotOpen = (role: Role) =>
  `Your role here, ${role}, waits for approval of such amounts: another role has to let buyers pay with this link.`;

/** Creates a payment link, as the API does, or makes it wait for approval. */
function createFromDashboard(
  { links, approvals }: LinksSection,
  call: StaffCall<typeof dashboardApi.createPaymentLink>,
): Promise<DashboardAnswer> {
  const { context, body, claim, resumes, entry } = call;
  const make = async (): Promise<DashboardAnswer> => {
    const made = await createPaymentLink(links, context, body, {
      claim,
      entry: (link) => entry({ objectId: link.id, after: loggedNewLink(link) }),
    });
    return made === null ? { keyTaken: true } : { status: 201, text: made.text };
  };
  return runUnlessApprovalNeeded(
    approvals.db,
    call,
    (by) => approvalForLink(approvals, context, body, { claim, resumes }, by),
    make,
  );
}

/** The operations on payment links: the list, the file, and what people do with a link. */
export function linksDashboardRoutes(api: DashboardApi, section: LinksSection): void {
  const { links, reading, db, mail } = section;
  api.mount(dashboardApi.listPaymentLinks, async ({ context, query }) => {
    const place = { page: query.page ?? 1, per_page: query.per_page ?? perPage };
    const filter = { ...place, ...filterOf(query) };
    const { rows, total } = await reading.store.list(context, filter, context.now);
    const items = rows.map((row) => linkItem(reading, context, row));
    return { status: 200, body: listOfPage(items, total, placeOfPage(place)) };
  });
  api.mount(dashboardApi.exportPaymentLinks, async ({ context, query, audit }) => {
    const file = exportPaymentLinks(reading, context, query);
    await audit({ objectId: null, after: { filters: query } });
    return { file };
  });
  api.mount(dashboardApi.retrievePaymentLink, async ({ context, params }) => ({
    status: 200,
    body: linkItem(reading, context, await retrieveLink(reading, context, params.id ?? '')),
  }));
  api.mount(dashboardApi.createPaymentLink, (call) => createFromDashboard(section, call));
  api.mount(dashboardApi.updatePaymentLink, async ({ context, staff, params, body, entry, covered }) => {
    covered();
    const id = params.id ?? '';
    const above = await approvalThreshold(db, staff.accountId, staff.role);
    const link = await updatePaymentLink(links, context, id, body, {
      check: (before, after) => {
        if (above !== null && opensLink(before, after) && largestPayment(after) > above) {
          throw new DashboardError('forbidden', mayNotOpen(staff.role));
        }
      },
      entry: (before, after) => entry({ objectId: id, before: loggedLink(before), after: loggedLink(after) }),
    });
    return { status: 200, body: linkItem(links, context, link) };
  });
  api.mount(dashboardApi.mailPaymentLink, async ({ context, params, body, claim, audit }) => {
    const link = await retrieveLink(links, context, params.id ?? '');
    const to = body.to.trim();
    if (!isMailbox(to)) throw invalidParam('to', 'to must be one e-mail address, such as jane@shop.example.');
    const branding = await readBranding(db, context.accountId);
    const { url } = linkItem(links, context, link).link;
    const message = linkMail({ context, branding, link, url });
    const text = JSON.stringify({ done: true });
    const isSent = await db.transaction(async (tx) => {
      const claimed = { id: link.id, at: context.now, claim, answer: text };
      if (!(await claimLinkMail(tx, context, claimed))) return false;
      await takeLinkMail(tx, context.accountId, to, links.clock.now());
      await queueMailTo({ ...mail, db: tx }, context.accountId, to, message);
      await audit({ objectId: link.id, after: { to } }, tx);
      return true;
    });
    return isSent ? { status: 201, text } : { keyTaken: true };
  });
}
