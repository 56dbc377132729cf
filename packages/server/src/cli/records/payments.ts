import type { Command } from 'commander';
import { OperatorError } from '../../accounts/accounts.ts';
import { timelineOf } from '../../dashboard/payments/timeline.ts';
import { isoSeconds } from '../../lib/clock.ts';
import type { PaymentRow } from '../../payments/payment.ts';
import { presentPayment } from '../../payments/present.ts';
import { findPaymentOfAnyTenant } from '../../payments/reads.ts';
import { PaymentStore } from '../../payments/store.ts';
import { presentRefund } from '../../refunds/row.ts';
import { RefundStore } from '../../refunds/store.ts';
import type { Database } from '../../store/database.ts';
import type { Tenant } from '../../store/tenant.ts';
import { withDatabase } from '../lib/connect.ts';
import { asTable, report, type Shell } from '../lib/output.ts';
import { settleRefundCommand } from './settle-refund.ts';

const maxRefunds = 100;

/** The payment as the API shows it. The API hides a payment without an answer; here its known fields are shown. */
function shown(row: PaymentRow, { livemode }: Tenant, now: Date): Readonly<Record<string, unknown>> {
  if (row.status === 'processing') {
    const { id, amount, currency, reference } = row;
    return {
      id,
      status: 'in_doubt',
      amount,
      currency,
      reference,
      livemode,
      created: isoSeconds(row.created_at),
    };
  }
  const { next_action: _address, ...payment } = presentPayment(row, { livemode, now, checkoutUrl: () => '' });
  return { ...payment, created: isoSeconds(row.created_at) };
}

async function getPayment(db: Database, now: Date, id: string) {
  const tenant = await findPaymentOfAnyTenant(db, id);
  const row = tenant && (await new PaymentStore(db).find(tenant, id));
  if (tenant === undefined || row === undefined) {
    throw new OperatorError('payment_not_found', `There is no payment ${id.slice(0, 100)}.`);
  }
  const { rows: refunds } = await new RefundStore(db).list(tenant, id, 1, maxRefunds);
  const subject = { payment: row, refunds, disputes: [], entries: [] };
  return {
    account: tenant.accountId,
    ...shown(row, tenant, now),
    upstream: row.upstream,
    refunds: refunds.map((refund) => presentRefund(refund, tenant)),
    timeline: await timelineOf(db, tenant, subject),
  };
}

type Found = Awaited<ReturnType<typeof getPayment>>;

const asText = ({ refunds, timeline, ...payment }: Found) =>
  [
    asTable(payment),
    `\nRefunds: ${refunds.length}`,
    ...(refunds.length === 0
      ? []
      : [asTable(refunds.map(({ id, status, amount, reason }) => ({ id, status, amount, reason })))]),
    '\nTimeline',
    asTable(
      timeline.map(({ at, kind, object, event, deliveries }) => ({
        at,
        what: kind,
        object,
        event,
        delivered: deliveries.map(({ endpoint, state }) => `${endpoint} ${state}`).join(', ') || '-',
      })),
    ),
  ].join('\n');

export function paymentCommands(program: Command, shell: Shell): void {
  const payments = program.command('payments').description('payments of every account, and their refunds');
  settleRefundCommand(payments, shell);
  payments
    .command('get')
    .description("one payment with the upstream's references, its refunds and what happened when")
    .argument('<id>')
    .action(function (this: Command, id: string) {
      return report(
        this,
        shell,
        () => withDatabase(shell, ({ db, clock }) => getPayment(db, clock.now(), id)),
        asText,
      );
    });
}
