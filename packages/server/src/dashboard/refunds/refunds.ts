import type { RefundDetail, RefundListItem, RefundsQuery } from '@till/contract/dashboard';
import type { AccountContext } from '../../accounts/context.ts';
import { retrieveRefund } from '../../refunds/refunds.ts';
import { presentRefund } from '../../refunds/row.ts';
import { findRefunds, paymentsOfRefunds, readRefundFilter } from '../../refunds/search.ts';
import { auditEntriesOn } from '../../users/people/reads.ts';
import type { PaymentsSectionDependencies } from '../payments/dependencies.ts';
import { type CountedPage, countedPage, pageOf, requireNear } from '../payments/list-payments.ts';
import { timelineOf } from '../payments/timeline.ts';

/** One page of the account's refunds that match a view. @throws ApiError `invalid_params` */
export async function listRefundItems(
  { refunds }: PaymentsSectionDependencies,
  context: AccountContext,
  { page, per_page, ...query }: RefundsQuery,
): Promise<CountedPage<RefundListItem>> {
  const place = pageOf({ page, per_page });
  if (Object.keys(query).length > 0) requireNear(place);
  const found = await findRefunds(refunds.db, context, readRefundFilter(query), {
    offset: place.offset,
    limit: place.perPage,
  });
  const [rows, payments] = await Promise.all([
    Promise.all(found.ids.map((id) => refunds.store.find(context, id))),
    paymentsOfRefunds(refunds.db, context, found.ids),
  ]);
  const data = rows.flatMap((row) => {
    const payment = payments.get(row?.id ?? '');
    return row === undefined || payment === undefined
      ? []
      : [{ refund: presentRefund(row, context), payment }];
  });
  return countedPage(found, place, data);
}

/** One refund with its payment and its timeline. @throws ApiError `not_found` */
export async function retrieveRefundDetail(
  { refunds }: PaymentsSectionDependencies,
  context: AccountContext,
  id: string,
): Promise<RefundDetail> {
  const { db } = refunds;
  const refund = await retrieveRefund(refunds, context, id);
  const [payments, entries] = await Promise.all([
    paymentsOfRefunds(db, context, [refund.id]),
    auditEntriesOn(db, context, refund.payment_id),
  ]);
  const payment = payments.get(refund.id);
  if (payment === undefined) throw new Error(`${refund.id} has no payment`);
  return {
    refund: presentRefund(refund, context),
    payment,
    upstream_id: refund.upstream_id,
    timeline: await timelineOf(db, context, { refunds: [refund], disputes: [], entries }),
  };
}
