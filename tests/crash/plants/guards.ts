import { isUnresolved } from '../../../packages/server/src/idempotency/claims.ts';
import { draftsOfTenant } from '../../../packages/server/src/payments/drafts.ts';
import { paymentColumns } from '../../../packages/server/src/payments/payment.ts';
import { restOf } from '../../../packages/server/src/refunds/refundable.ts';
import { listOf } from '../../../packages/server/src/store/columns.ts';
import { inPlaceOf, type Plant, rewriting } from './plant.ts';

/** Plants a fault: commit 2 overwrites changes of the payment since it was read. */
export const noVersionCheck = (): Plant =>
  rewriting([{ statement: 'settle_payments', changes: [[' and p.version = i.version', '']] }]);

const failure = { status: "'failed'", failure_code: "'declined'" };
const failedSql = `with failed as (
    insert into payments (seq, request, ${listOf(paymentColumns)})
    select o.seq, o.request, ${listOf(paymentColumns, 'p', failure)}
    from operations o join (${draftsOfTenant}) p on p.tenant = o.tenant and p.id = o.subject
    where o.tenant = $1 and o.subject = $2)
  update operations set kind = 'cancel', state = 'unknown', tries = tries + 1, next_try_at = $5, seq = null, draft = null,
    request = null
  where tenant = $1 and subject = $2 and lease_owner = $3 and lease_until = $4`;

/** Plants a fault: recovery marks a payment as failed if the processor does not respond. */
export const unknownIsFailed = (): Plant =>
  inPlaceOf('leave_operation_unknown', (statement) => ({
    ...statement,
    name: 'planted_failure',
    text: failedSql,
  }));

/** Plants a fault: a key is free after 24 hours although the outcome of its request is unknown. Both guards are disabled. */
export const noDoubtAfterADay = (): Plant =>
  rewriting([
    { statement: 'authenticate', changes: [[isUnresolved('i'), 'false']] },
    { statement: 'read_idempotency_keys', changes: [[isUnresolved('k'), 'false']], mayRest: true },
    { statement: 'begin_payments', changes: [[isUnresolved('k'), 'false']] },
  ]);

/** Plants a fault: concurrent refunds do not wait for each other. */
export const noRefundLock = (): Plant =>
  rewriting([{ statement: 'begin_refunds', changes: [['order by p.id for update of p', 'order by p.id']] }]);

/** Plants a fault: the merchant account of a payment is not stored. */
export const noMerchantKept = (): Plant =>
  rewriting([
    {
      statement: 'begin_payments',
      changes: [
        [
          ', draft, request from drafts',
          ", (draft::jsonb - 'processor_identity')::json, request from drafts",
        ],
      ],
    },
    {
      statement: 'insert_payments',
      changes: [[' i.processor_identity,', ' null,']],
    },
  ]);

/** Plants a fault: a refund does not check the sum of earlier refunds. */
export const noRefundSum = (): Plant =>
  rewriting([
    {
      statement: 'begin_refunds',
      changes: [
        ['order by p.id for update of p', 'order by p.id'],
        [
          ` and i.amount <= case when i.is_made then p.amount - p.refunded_amount else ${restOf('p')} end`,
          '',
        ],
      ],
    },
  ]);
