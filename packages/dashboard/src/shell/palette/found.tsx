import { CreditCard, ShieldAlert, User } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Answer } from '../../api/calls.ts';
import { Icon } from '../../components/buttons/icon.tsx';
import { Money } from '../../components/values/money.tsx';
import { PaymentStatus } from '../../components/values/payment-status.tsx';
import { Status } from '../../components/values/status.tsx';
import { Time } from '../../components/values/time.tsx';
import { disputeReason } from '../../lib/wording/dispute-words.ts';
import type { AccountPaths } from '../../navigation/paths.ts';
import type { Entry } from './entry.ts';

type Found = Answer<'search'>;

const max = 5;
const maxOthers = 2;

/** One line about an object: its kind, its label and its time. */
const line = (icon: typeof User, what: ReactNode, who: string, when: string | number) => (
  <>
    <Icon of={icon} className="size-4 shrink-0 text-text-3" />
    <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2.5">
      {what}
      <span dir="auto" className="min-w-0 flex-1 truncate text-left text-text-2 max-sm:basis-full">
        {who}
      </span>
    </span>
    <Time at={when} show="day" className="text-sm text-text-3 max-sm:hidden" />
  </>
);

const payments = (found: Found, paths: AccountPaths): Entry[] =>
  found.payments.map(({ payment, customer }) => ({
    key: payment.id,
    target: { to: paths.payment(payment.id) },
    content: line(
      CreditCard,
      <>
        <span className="font-medium">
          <Money amount={payment.amount} currency={payment.currency} />
        </span>
        <PaymentStatus status={payment.status} failure={payment.failure} />
      </>,
      [payment.reference, customer?.name ?? customer?.email].filter(Boolean).join(' · ') || payment.id,
      payment.created,
    ),
  }));

const customers = (found: Found, paths: AccountPaths): Entry[] =>
  found.customers.map(({ customer }) => ({
    key: customer.id,
    target: { to: paths.customer(customer.id) },
    content: line(
      User,
      <span dir="auto" className="max-w-44 truncate font-medium">
        {customer.name ?? customer.email}
      </span>,
      customer.name === null ? 'Customer' : customer.email,
      customer.created,
    ),
  }));

const disputes = (found: Found, paths: AccountPaths): Entry[] =>
  found.disputes.map((dispute) => ({
    key: dispute.id,
    target: { to: paths.dispute(dispute.id) },
    content: line(
      ShieldAlert,
      <>
        <span className="font-medium">
          <Money amount={dispute.amount} currency={dispute.currency} />
        </span>
        <Status kind="dispute" status={dispute.status} />
      </>,
      `Dispute: ${disputeReason(dispute.reason).word}`,
      dispute.raised_at,
    ),
  }));

/**
 * The five best results: a few customers and disputes, and payments. For an id, the object with that id comes first,
 * then objects that belong to it.
 */
export function foundEntries(found: Found | undefined, paths: AccountPaths, text: string): readonly Entry[] {
  if (found === undefined) return [];
  const people = customers(found, paths).slice(0, maxOthers);
  const disputed = disputes(found, paths).slice(0, maxOthers);
  const paid = payments(found, paths).slice(0, max - people.length - disputed.length);
  const isId = /^[a-z]+_[a-z0-9]{24}$/.test(text);
  const entries = isId ? [...paid, ...disputed, ...people] : [...people, ...paid, ...disputed];
  return entries.toSorted((one, other) => Number(other.key === text) - Number(one.key === text));
}
