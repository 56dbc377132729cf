import { dashboardApi } from '@till/contract/dashboard';
import type { AccountContext } from '../../accounts/context.ts';
import { presentCustomer } from '../../customers/present.ts';
import { retrieveDispute } from '../../disputes/deadlines/retrieve-dispute.ts';
import { disputedAmong } from '../../disputes/reads.ts';
import { createFile, presentFile } from '../../files/files.ts';
import { isoSeconds, unixSeconds } from '../../lib/clock.ts';
import { linesDocument } from '../../lib/text/text-document.ts';
import { requestOf, requestsOf } from '../../payments/drafts.ts';
import type { StoredRequest } from '../../payments/kept-request.ts';
import { retrievePayment } from '../../payments/operations/expire.ts';
import type { PaymentRow } from '../../payments/payment.ts';
import { presentPayment } from '../../payments/present.ts';
import { listPaymentRows, refundedOf } from '../../payments/reads.ts';
import { resolveAddresses } from '../../payments/request/address.ts';
import { shopperIp } from '../../payments/request/charge-request.ts';
import { customerOf } from '../../payments/request/sent-with.ts';
import type { DashboardApi } from '../api.ts';
import { viewOf } from '../payments/list-payments.ts';
import { orderOf } from '../payments/retrieve-payment.ts';
import { timelineOf } from '../payments/timeline.ts';
import type { Inbox, InboxDependencies } from './dependencies.ts';
import { evidenceLines, type PaymentRecord, proposedSections } from './evidence-words.ts';

/** At most this many earlier payments of the customer are listed, the newest. */
const maxEarlier = 10;

/** The buyer's browser: as the merchant reported it, or as our own page saw it. The merchant's server is never taken for it. */
const deviceOf = ({ browser_info: browser, client }: StoredRequest): string | null =>
  browser?.user_agent ?? (client.ip === null ? null : client.userAgent);

/** The customer's earlier payments that succeeded, newest first. */
async function earlierPayments(
  { disputes, payments }: InboxDependencies,
  context: AccountContext,
  { id, customer_id: customer, created_at: created }: PaymentRow,
): Promise<PaymentRecord['earlier']> {
  if (customer === null) return [];
  const { rows } = await listPaymentRows(payments.db, context, {
    customer,
    status: 'succeeded',
    created_lt: unixSeconds(created) + 1,
    page: 1,
    per_page: maxEarlier + 1,
  });
  const earlier = rows.filter((row) => row.id !== id).slice(0, maxEarlier);
  const ids = earlier.map((row) => row.id);
  const [requests, disputed] = await Promise.all([
    requestsOf(payments.db, context, earlier),
    disputedAmong(disputes.db, context, ids),
  ]);
  return earlier.flatMap((row) => {
    const request = requests.get(row.id);
    if (request === undefined) return [];
    return {
      payment: presentPayment(row, viewOf(payments, context)),
      ip: shopperIp(row, request, request.client),
      device: deviceOf(request),
      delivery: resolveAddresses(request, null).delivery,
      isDisputed: disputed.has(row.id),
    };
  });
}

/** The recorded data of a dispute's payment. @throws ApiError `not_found` */
async function recordOf(
  deps: InboxDependencies,
  context: AccountContext,
  id: string,
): Promise<PaymentRecord> {
  const { disputes, payments } = deps;
  const { db } = payments;
  const dispute = await retrieveDispute(disputes, context, id);
  const payment = await retrievePayment(payments, context, dispute.payment_id);
  const [request, customer, refunded, timeline, earlier] = await Promise.all([
    requestOf(db, payment),
    customerOf(payments, context, payment),
    refundedOf(db, context, payment.id),
    timelineOf(db, context, { payment, refunds: [], disputes: [], entries: [] }),
    earlierPayments(deps, context, payment),
  ]);
  const { billing, delivery } = resolveAddresses(request, customer);
  return {
    accountName: context.accountName,
    livemode: context.livemode,
    payment: presentPayment(payment, viewOf(payments, context)),
    refunded,
    customer: customer && presentCustomer(customer, context),
    ip: shopperIp(payment, request, request.client),
    device: deviceOf(request),
    billing,
    delivery,
    order: orderOf(request),
    timeline,
    earlier,
  };
}

/** The operations that show evidence from recorded data, and store it as a document that can be submitted. */
export function proposedEvidenceRoutes(
  api: DashboardApi,
  { files, reading }: Inbox,
  exists: Parameters<DashboardApi['mount']>[2],
): void {
  api.mount(dashboardApi.retrieveProposedEvidence, async ({ context, params }) => ({
    status: 200,
    body: { sections: proposedSections(await recordOf(reading, context, params.id ?? '')) },
  }));
  api.mount(
    dashboardApi.fileProposedEvidence,
    async ({ context, params, audit }) => {
      const record = await recordOf(reading, context, params.id ?? '');
      const lines = evidenceLines(record, proposedSections(record), isoSeconds(context.now));
      const file = await createFile(files, context, {
        name: `records-of-${record.payment.id}.pdf`,
        content: linesDocument(lines),
      });
      await audit({ after: { file: file.id, size: file.size } });
      return { status: 201, body: presentFile(file, context) };
    },
    exists,
  );
}
