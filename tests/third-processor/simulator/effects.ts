import type { Payment } from './store.ts';

/**
 * The effect of a request besides storing its response: SQL that runs if the key is free, with its values
 * from `$7` on.
 */
export interface Effect {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** Captures a payment. */
export const capturing = (id: string, { reference, amount, currency }: Payment): Effect => ({
  sql: `insert into sandbox.charges (merchant_account, reference, psp_reference, amount, currency, status, received,
          created_at)
        select $1, $7, $8, $9, $10, 'captured', '{}', $4 from owned on conflict do nothing`,
  values: [reference, id, amount, currency],
});

/**
 * Stores a payment that waits for its buyer.
 * @param page id of the bank's page
 */
export const waitingFor = (page: string, id: string, payment: Payment): Effect => ({
  sql: `insert into sandbox.processor_c_challenges (id, merchant_account, reference, psp_reference, state, payment,
          created_at)
        select $7, $1, $8, $9, 'open', $10, $4 from owned`,
  values: [page, payment.reference, id, JSON.stringify(payment)],
});

interface Given {
  readonly reference: string;
  readonly payment: string;
  readonly amount: number;
  readonly currency: string;
}

/** Refunds a payment. */
export const refunding = (id: string, { reference, payment, amount, currency }: Given): Effect => ({
  sql: `insert into sandbox.refunds (merchant_account, reference, payment_reference, upstream_id, amount, currency, status,
          received, created_at)
        select $1, $7, $8, $9, $10, $11, 'succeeded', '{}', $4 from owned`,
  values: [reference, payment, id, amount, currency],
});
