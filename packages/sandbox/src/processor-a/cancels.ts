import type { SandboxParts } from '../parts.ts';
import { randomReference } from '../random.ts';
import type { WireResponse } from '../wire.ts';
import { invalid } from './errors.ts';
import { type AnsweredRow, answerOf, type Call } from './payments.ts';
import type { CancelledPayment, RequestStore } from './store.ts';

async function cancel(
  parts: SandboxParts,
  store: RequestStore,
  call: Call,
  payment: CancelledPayment,
  named: Readonly<Record<string, string>>,
): Promise<WireResponse> {
  const { merchantAccount, body } = call;
  const pspReference = randomReference(parts.randomBytes(16));
  const row: AnsweredRow = {
    merchant_account: merchantAccount,
    idempotency_key: call.idempotencyKey ?? null,
    psp_reference: pspReference,
    at: (await parts.now(merchantAccount)).toISOString(),
    status: 201,
    body: JSON.stringify({
      merchantAccount,
      ...named,
      pspReference,
      ...(typeof body.reference === 'string' ? { reference: body.reference } : {}),
      status: 'received',
    }),
  };
  return answerOf(row, await store.cancel(row, payment));
}

/** `POST /cancels` (Adyen Checkout API v71): cancels by our reference, whether or not there is such a payment. */
export function createTechnicalCancel(
  parts: SandboxParts,
  store: RequestStore,
): (call: Call) => Promise<WireResponse> {
  return async (call) => {
    const { paymentReference } = call.body;
    if (typeof paymentReference !== 'string' || paymentReference === '') {
      throw invalid('130', 'Reference Missing');
    }
    return cancel(parts, store, call, { reference: paymentReference }, { paymentReference });
  };
}

/** `POST /payments/{paymentPspReference}/cancels` (Adyen Checkout API v71). */
export function createCancel(
  parts: SandboxParts,
  store: RequestStore,
): (call: Call, pspReference: string) => Promise<WireResponse> {
  return (call, pspReference) =>
    cancel(parts, store, call, { pspReference }, { paymentPspReference: pspReference });
}
