import type { PaymentLink, PaymentLinkStatus } from '@till/contract';
import { isoSeconds, unixSeconds } from '../lib/clock.ts';
import { bigint, bool, int, json, keyColumns, nullable, type RowOf, text, time } from '../store/columns.ts';

/** The columns that are written when a link is created. */
export const linkColumns = {
  ...keyColumns,
  title: text,
  description: nullable(text),
  currency: text,
  amount: nullable(bigint),
  amount_min: nullable(bigint),
  amount_max: nullable(bigint),
  amount_suggested: nullable(bigint),
  max_payments: nullable(int),
  /** Account time. */
  expires_at: nullable(time),
  reference_label: nullable(text),
  save_payment_method: bool,
  success_url: nullable(text),
  failure_url: nullable(text),
  metadata: json<Readonly<Record<string, string>>>(),
  is_on: bool,
  event_count: int,
  created_at: time,
} as const;

/** The columns of a link, with the counts of its payments. */
export const countedColumns = {
  ...linkColumns,
  /** Attempts that have not ended: the buyer has not finished, or the processor's answer is not known yet. */
  open_count: int,
  payments_count: int,
  /** Sum of the payments that succeeded or are held, in minor units. */
  payments_amount: bigint,
} as const;

/** A payment link as the database keeps it. */
export type LinkRow = RowOf<typeof countedColumns>;

/** Which links are listed; null: all. */
export interface LinkFilter {
  readonly statuses: readonly PaymentLinkStatus[] | null;
}

/** A link's status: buyers can pay only with an `active` one. @param now account time */
export function statusOf(link: LinkRow, now: Date): PaymentLinkStatus {
  if (link.max_payments !== null && link.payments_count >= link.max_payments) return 'completed';
  if (!link.is_on) return 'inactive';
  return link.expires_at !== null && link.expires_at.getTime() <= now.getTime() ? 'expired' : 'active';
}

/** Whether another attempt may begin, even if all attempts that have not ended succeed. */
export const hasCapacity = ({
  max_payments: max,
  payments_count: paid,
  open_count: open,
}: LinkRow): boolean => max === null || paid + open < max;

/** The most that a buyer can pay with a link at once, in minor units. */
export const largestPayment = ({ amount, amount_max: max }: LinkRow): number => amount ?? max ?? 0;

/** Whether a change makes payments possible, now or later, that were not possible before. */
export function opensLink(before: LinkRow, after: LinkRow): boolean {
  const { expires_at: end, max_payments: max } = before;
  const isLonger = end !== null && (after.expires_at === null || after.expires_at > end);
  const isMoreOften = max !== null && (after.max_payments === null || after.max_payments > max);
  return isLonger || isMoreOften || (after.is_on && !before.is_on);
}

/** What the audit log records of a link: the fields that can be changed. */
export const loggedLink = ({ title, description, is_on: isOn, max_payments, expires_at }: LinkRow) => ({
  title,
  description,
  status: isOn ? 'active' : 'inactive',
  max_payments,
  expires_at: expires_at?.toISOString() ?? null,
});

/** The same for a new link, with its price. */
export const loggedNewLink = (link: LinkRow) => {
  const { amount, amount_min, amount_max, currency } = link;
  return { ...loggedLink(link), amount, amount_min, amount_max, currency };
};

/** What `presentLink` needs beside the row. */
export interface LinkView {
  readonly livemode: boolean;
  /** Account time. */
  readonly now: Date;
  readonly url: string;
}

/** A link as the API shows it (decisions, "Extensions of the second plan"). */
export function presentLink(row: LinkRow, { livemode, now, url }: LinkView): PaymentLink {
  const { amount_min: min, amount_max: max, amount_suggested: suggested } = row;
  return {
    id: row.id,
    object: 'payment_link',
    url,
    status: statusOf(row, now),
    title: row.title,
    description: row.description,
    currency: row.currency,
    amount: row.amount,
    amount_range: min === null || max === null ? null : { min, max, suggested },
    max_payments: row.max_payments,
    payments_count: row.payments_count,
    expires_at: row.expires_at && isoSeconds(row.expires_at),
    reference_label: row.reference_label,
    save_payment_method: row.save_payment_method,
    success_url: row.success_url,
    failure_url: row.failure_url,
    metadata: row.metadata,
    livemode,
    created: unixSeconds(row.created_at),
  };
}
