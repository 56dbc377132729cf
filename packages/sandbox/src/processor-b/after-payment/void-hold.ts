import type { SandboxDatabase, SandboxDependencies } from '../../lib/dependencies.ts';
import { columnsOf } from '../../lib/json.ts';
import { type Authorization, internetTime } from '../model/order.ts';
import { createOrderStore } from '../store/store.ts';

async function orderIdOf(
  database: SandboxDatabase,
  merchantAccount: string,
  reference: string,
): Promise<string | null> {
  const { rows } = await database.query(
    `select o.id from sandbox.charges c join sandbox.orders o
       on o.merchant_account = c.merchant_account and c.psp_reference = o.authorization_id
     where c.merchant_account = $1 and c.reference = $2 and c.status = 'authorized'
     order by c.created_at desc limit 1`,
    [merchantAccount, reference],
  );
  return rows.length === 0 ? null : String(columnsOf(rows[0]).id);
}

/**
 * Voids a hold, as if somebody did so in PayPal's own dashboard, and plans its event.
 * @param asked.paymentReference the merchant's own id of the payment
 * @returns false if nothing is held under this id
 */
export async function voidHoldB(
  deps: Pick<SandboxDependencies, 'database' | 'now'>,
  {
    merchantAccount,
    paymentReference,
  }: { readonly merchantAccount: string; readonly paymentReference: string },
): Promise<boolean> {
  const store = createOrderStore(deps);
  for (;;) {
    const id = await orderIdOf(deps.database, merchantAccount, paymentReference);
    const found = id === null ? null : await store.read(id);
    const authorization = found?.order.authorization;
    if (found === null || authorization?.status !== 'CREATED') return false;
    const now = await deps.now(merchantAccount);
    const updatedAt = internetTime(now);
    const voided: Authorization = { ...authorization, status: 'VOIDED', updatedAt };
    if (await store.change(found, { ...found.order, updatedAt, authorization: voided }, now)) return true;
  }
}
