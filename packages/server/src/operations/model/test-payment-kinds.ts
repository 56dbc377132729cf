import type { PaymentCreate } from '@till/contract';
import { capturePayment } from '../../payments/operations/capture.ts';
import { confirmPayment } from '../../payments/operations/confirm.ts';
import { expirePayments } from '../../payments/operations/expire.ts';
import { voidPayment } from '../../payments/operations/void.ts';
import { writePayment } from '../../payments/settle-payment.ts';
import { cardPayment, walletPayment } from '../../payments/test-kit.ts';
import {
  both,
  end,
  type KindModel,
  nothing,
  paid,
  pay,
  refusal,
  type State,
  withoutKey,
} from './test-kind.ts';
import { amount, currency } from './test-ledger.ts';
import type { Process, Shop } from './test-world.ts';

const manual: PaymentCreate = { ...cardPayment, capture_method: 'manual' };

async function readPayment(shop: Shop, { payments }: Process): Promise<State> {
  const payment = await payments.store.find(shop.context(), shop.subject);
  if (payment === undefined) return nothing;
  const { status, failure_code: code, upstream } = payment;
  if (status === 'processing') return { ...nothing, status };
  return { status, code, shown: JSON.parse(writePayment(payments, shop.context(), payment)), kept: upstream };
}

const paymentUpdate = (shop: Shop) => shop.ledger.paymentUpdate();

export const charge: KindModel = {
  // A processor without look-ups has a model of its own (payments/in-doubt-model.test.ts).
  processors: ['processor_b'],
  outcomes: {
    succeeded: {
      plan: { charge: 'succeeded' },
      end: end('succeeded', ['charge'], ['payment.succeeded']),
    },
    authorized: {
      plan: { charge: 'authorized' },
      end: end('authorized', ['charge'], ['payment.authorized']),
    },
    declined: {
      plan: { charge: 'declined' },
      end: end('failed', ['charge'], ['payment.failed'], 'refused'),
    },
  },
  others: [end('failed', [], ['payment.failed'], 'not_processed')],
  prepare: async () => {},
  async ask(shop, process) {
    const request = shop.ledger.plan.charge === 'authorized' ? manual : cardPayment;
    const reply = await pay(shop, process, 'k', request);
    shop.subject = await shop.begunWith('k');
    return reply;
  },
  update: paymentUpdate,
  async read(shop, process) {
    shop.subject = await shop.begunWith('k');
    return readPayment(shop, process);
  },
};

const waited = ['payment.requires_action'];
const expired = end('failed', ['cancel'], [...waited, 'payment.failed'], 'confirmation_expired');

export const confirm: KindModel = {
  processors: ['processor_b'],
  outcomes: {
    succeeded: {
      plan: { confirm: 'succeeded' },
      end: end('succeeded', ['confirm'], [...waited, 'payment.succeeded']),
    },
    declined: {
      plan: { confirm: 'declined' },
      end: end('failed', ['confirm'], [...waited, 'payment.failed'], 'refused'),
    },
    not_approved: { plan: { confirm: 'not_approved' }, end: refusal('requires_action', waited) },
  },
  others: [expired],
  prepare: async (shop, world) => void (await paid(shop, world, 'requires_action', walletPayment)),
  ask: (shop, process) =>
    shop.send(process, 'k', (context, idempotent) =>
      confirmPayment(process.payments, context, shop.subject, idempotent),
    ),
  update: paymentUpdate,
  read: readPayment,
};

const held = ['payment.authorized'];

export const capture: KindModel = {
  processors: ['processor_b'],
  outcomes: {
    succeeded: {
      plan: { capture: 'succeeded' },
      end: end('succeeded', ['capture'], [...held, 'payment.succeeded']),
    },
    // A declined capture leaves a hold, which is released.
    declined: {
      plan: { capture: 'declined' },
      end: end('failed', ['capture', 'cancel'], [...held, 'payment.failed'], 'refused'),
    },
    hold_gone: { plan: { capture: 'hold_gone' }, end: refusal('authorized', held) },
  },
  prepare: async (shop, world) => void (await paid(shop, world, 'authorized', manual)),
  ask: (shop, process) =>
    shop.send(process, 'k', (context, idempotent) =>
      capturePayment(process.payments, context, shop.subject, idempotent),
    ),
  update: paymentUpdate,
  read: readPayment,
};

export const voidHold: KindModel = {
  ...capture,
  outcomes: {
    voided: { plan: { void: 'voided' }, end: end('voided', ['void'], [...held, 'payment.voided']) },
    already_captured: { plan: { void: 'already_captured' }, end: refusal('authorized', held) },
  },
  ask: (shop, process) =>
    shop.send(process, 'k', (context, idempotent) =>
      voidPayment(process.payments, context, shop.subject, idempotent),
    ),
};

export const expire: KindModel = {
  ...confirm,
  outcomes: { expired: { plan: {}, end: expired } },
  others: [],
  async prepare(shop, world) {
    await paid(shop, world, 'requires_action', walletPayment);
    shop.clock.move(16 * 60_000);
  },
  async ask(_shop, process) {
    await expirePayments(process.payments);
    return null;
  },
  async abandon(shop, process) {
    const payment = await process.payments.store.find(shop.context(), shop.subject);
    if (payment === undefined) throw new Error('gone');
    const intent = { subject: payment, kind: 'expire', upstreamKey: `${payment.id}:x` } as const;
    await process.payments.operations.begin({ ...intent, at: shop.clock.now(), ...withoutKey(process) });
  },
};

/** Cancels money that the upstream holds although the payment failed here. */
export const cancel: KindModel = {
  processors: both,
  outcomes: {
    cancelled: { plan: {}, end: end('failed', ['cancel'], ['payment.failed'], 'refused') },
  },
  async prepare(shop, world) {
    await paid(shop, world, 'declined');
    shop.ledger.holdUnasked();
  },
  async ask(shop, process) {
    const outcome = shop.ledger.heldAfterAll();
    const settled = { kind: 'payment_settled', paymentId: shop.subject, amount, currency, outcome } as const;
    await process.notify(shop.context(), settled);
    return null;
  },
  update: (shop) => (shop.context().processor === 'processor_b' ? paymentUpdate(shop) : null),
  read: readPayment,
};
