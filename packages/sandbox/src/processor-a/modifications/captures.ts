import type { SandboxDependencies } from '../../lib/dependencies.ts';
import { columnsOf, objectIn } from '../../lib/json.ts';
import { fromAdyenUnits } from '../../lib/money.ts';
import { randomReference } from '../../lib/random.ts';
import type { WireResponse } from '../../lib/wire.ts';
import { invalid } from '../authorisation/errors.ts';
import { planned, type UpstreamAmount } from '../notifications/notification-items.ts';
import { type AnsweredRow, answerOf, type Call } from '../payments/call.ts';
import type { RequestStore } from '../store/store.ts';

/** The state of a payment when its hold is captured or changed. */
interface Held {
  readonly reference: string;
  readonly isHeld: boolean;
  readonly currency: string;
  /** In the merchant's minor units. */
  readonly minor: number;
}

interface Asked {
  readonly amount: UpstreamAmount;
  /** In the merchant's minor units. */
  readonly minor: number;
}

/** One way to change a hold: its event, and the check that runs when it is carried out. */
interface Change {
  readonly kind: 'capture' | 'adjust';
  readonly eventCode: 'CAPTURE' | 'AUTHORISATION_ADJUSTMENT';
  readonly reasonAgainst: (held: Held, asked: Asked) => string | undefined;
}

/**
 * A capture ends the hold even if it takes only a part (Adyen docs, "Capture": several captures need a
 * setting of the account).
 */
const capture: Change = {
  kind: 'capture',
  eventCode: 'CAPTURE',
  reasonAgainst: ({ isHeld, minor }, asked) => {
    if (!isHeld) return 'Transaction has already been captured or cancelled';
    return asked.minor > minor ? 'Insufficient balance on payment' : undefined;
  },
};

const adjust: Change = {
  kind: 'adjust',
  eventCode: 'AUTHORISATION_ADJUSTMENT',
  reasonAgainst: ({ isHeld }) => (isHeld ? undefined : 'Transaction has already been captured or cancelled'),
};

const readSql = `
select reference, status, currency, amount from sandbox.charges where merchant_account = $1 and psp_reference = $2`;

async function readHeld(
  { database }: SandboxDependencies,
  merchantAccount: string,
  pspReference: string,
): Promise<Held | undefined> {
  const { rows } = await database.query(readSql, [merchantAccount, pspReference]);
  if (rows.length === 0) return undefined;
  const row = columnsOf(rows[0]);
  return {
    reference: String(row.reference),
    isHeld: row.status === 'authorized',
    currency: String(row.currency),
    minor: Number(row.amount),
  };
}

function readAsked({ body }: Call, { currency }: Held): Asked {
  const amount = objectIn(body, 'amount');
  const { value } = amount;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value <= 0) {
    throw invalid('137', 'Invalid amount specified');
  }
  if (amount.currency !== currency) throw invalid('138', 'Unsupported currency specified');
  const minor = fromAdyenUnits(value, currency);
  if (minor === undefined) throw invalid('137', 'Invalid amount specified');
  return { amount: { currency, value }, minor };
}

function readReference({ body }: Call): string | undefined {
  const { reference } = body;
  if (reference === undefined) return undefined;
  if (typeof reference !== 'string' || reference.length > 80) {
    throw invalid('14_018', 'Invalid payload provided');
  }
  return reference;
}

/** The fields that the response repeats from the request. */
function repeated({ kind }: Change, { body }: Call, reference: string | undefined): object {
  if (kind === 'capture') return reference === undefined ? {} : { reference };
  const { industryUsage } = body;
  return { reference: reference ?? '', ...(industryUsage === undefined ? {} : { industryUsage }) };
}

/** Changes a hold. The response only acknowledges the request; a notification later reports the outcome. */
async function change(
  deps: SandboxDependencies,
  store: RequestStore,
  what: Change,
  call: Call,
  paymentPspReference: string,
): Promise<WireResponse> {
  const { merchantAccount } = call;
  const held = await readHeld(deps, merchantAccount, paymentPspReference);
  // Adyen docs, "Error codes and messages".
  if (held === undefined) throw invalid('167', 'Original pspReference required for this operation');
  const { amount, minor } = readAsked(call, held);
  const reference = readReference(call);
  const reason = what.reasonAgainst(held, { amount, minor });
  const pspReference = randomReference(deps.randomBytes(16));
  const now = await deps.now(merchantAccount);
  const row: AnsweredRow = {
    merchant_account: merchantAccount,
    idempotency_key: call.idempotencyKey ?? null,
    psp_reference: pspReference,
    at: now.toISOString(),
    status: 201,
    body: JSON.stringify({
      merchantAccount,
      paymentPspReference,
      pspReference,
      ...repeated(what, call, reference),
      status: 'received',
      amount,
    }),
    amount: minor,
    received: amount,
    notifications: [
      planned(
        {
          eventCode: what.eventCode,
          pspReference,
          originalReference: paymentPspReference,
          merchantReference: reference ?? held.reference,
          success: reason === undefined,
          amount,
          reason: reason ?? '',
          additionalData: {},
        },
        { merchantAccount, at: now },
      ),
    ],
  };
  if (reason !== undefined) return answerOf(row, await store.settle(row));
  const settled = await store.change(what.kind, row, paymentPspReference);
  if (settled.kind !== 'stale') return answerOf(row, settled);
  // A concurrent request changed the hold first, so this one is decided again.
  return change(deps, store, what, call, paymentPspReference);
}

/**
 * `POST /payments/{paymentPspReference}/captures` (Adyen Checkout API v71): captures a hold or a part of it.
 */
export function createCapture(
  deps: SandboxDependencies,
  store: RequestStore,
): (call: Call, pspReference: string) => Promise<WireResponse> {
  return (call, pspReference) => change(deps, store, capture, call, pspReference);
}

/** `POST /payments/{paymentPspReference}/amountUpdates` (Adyen Checkout API v71): changes the held amount. */
export function createAmountUpdate(
  deps: SandboxDependencies,
  store: RequestStore,
): (call: Call, pspReference: string) => Promise<WireResponse> {
  return (call, pspReference) => change(deps, store, adjust, call, pspReference);
}
