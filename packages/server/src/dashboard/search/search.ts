import type { Found } from '@till/contract/dashboard';
import type { AccountContext } from '../../accounts/context.ts';
import { presentDispute } from '../../disputes/present.ts';
import { disputesOfPayments } from '../../disputes/reads.ts';
import { readFilter } from '../../payments/search/filter.ts';
import { nextPayments, placesOfView } from '../../payments/search/find-payments.ts';
import { listCustomerItems } from '../customers/customers.ts';
import type { PaymentsSectionDependencies } from '../payments/dependencies.ts';
import { presentPayments, readPayments } from '../payments/list-payments.ts';
import { related } from '../payments/store.ts';

const maxPerKind = 5;

/** The first payments, customers and disputes that match some words, newest first. Quick, because nothing is counted. */
export async function search(
  deps: PaymentsSectionDependencies,
  context: AccountContext,
  words: string,
): Promise<Found> {
  const [payments, customers] = await Promise.all([
    firstPayments(deps, context, words),
    listCustomerItems(deps, context, { q: words, per_page: maxPerKind }),
  ]);
  const ids = payments.map(({ payment }) => payment.id);
  const disputes = ids.length === 0 ? [] : await disputesOfPayments(deps.payments.db, context, ids);
  const rows = await Promise.all(
    disputes.slice(0, maxPerKind).map((id) => deps.disputes.store.find(context, id)),
  );
  return {
    payments,
    customers: customers.data,
    disputes: rows.flatMap((row) => (row === undefined ? [] : [presentDispute(row, context)])),
  };
}

async function firstPayments(
  { payments }: PaymentsSectionDependencies,
  context: AccountContext,
  words: string,
): Promise<Found['payments']> {
  const view = { filter: readFilter({ q: words }), related };
  const places = await placesOfView(payments.db, context, view);
  const { ids } = await nextPayments(payments.db, context, view, places, maxPerKind);
  return presentPayments(payments, context, await readPayments(payments, context, ids));
}
