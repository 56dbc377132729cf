import { createCustomer } from '../../customers/customers.ts';
import { writeDispute } from '../../disputes/change-dispute.ts';
import { expireDisputes } from '../../disputes/deadlines/expire-disputes.ts';
import type { Move } from '../../disputes/operations/answer.ts';
import { answerDispute } from '../../disputes/operations/answer-dispute.ts';
import { accept, defend } from '../../disputes/test-answers.ts';
import { factsOf } from '../../disputes/test-kit.ts';
import { prepareMethod } from '../../payment-methods/payment-methods.ts';
import { removePaymentMethod } from '../../payment-methods/remove-payment-method.ts';
import { commitMethod, savedCard } from '../../payment-methods/test-kit.ts';
import { writeRefund } from '../../refunds/commit-refund.ts';
import { createRefund } from '../../refunds/create-refund.ts';
import {
  both,
  type End,
  end,
  type KindModel,
  nothing,
  paid,
  refusal,
  type State,
  withoutKey,
} from './test-kind.ts';
import { type Plan, token } from './test-ledger.ts';
import type { Process, Shop } from './test-world.ts';

const dayMs = 24 * 3_600_000;

async function readRefund(shop: Shop, { refunds }: Process): Promise<State> {
  const refund = await refunds.store.find(shop.context(), shop.subject);
  if (refund === undefined) return nothing;
  const { status, failure_code: code, upstream_id: kept } = refund;
  return { status, code, shown: JSON.parse(writeRefund(refunds, shop.context(), refund)), kept };
}

const refunded = end('succeeded', ['refund'], ['refund.succeeded']);
const refundFailed = end('failed', ['refund'], ['refund.failed'], 'refused');

export const refund: KindModel = {
  processors: both,
  outcomes: {
    succeeded: { plan: { refund: 'succeeded' }, end: refunded },
    failed: { plan: { refund: 'failed' }, end: refundFailed },
    pending: { plan: { refund: 'pending' }, end: refunded },
    'pending, then failed': { plan: { refund: 'pending', refundEnd: 'failed' }, end: refundFailed },
  },
  prepare: async (shop, world) => void (await paid(shop, world, 'succeeded')),
  async ask(shop, process) {
    const reply = await shop.send(process, 'k', (context, idempotent) =>
      createRefund(process.refunds, context, {
        paymentId: shop.ledger.paymentId,
        request: {},
        ...idempotent,
      }),
    );
    shop.subject = await shop.begunWith('k');
    return reply;
  },
  update(shop) {
    shop.ledger.endRefund();
    return shop.ledger.refundUpdate(shop.subject);
  },
  read: readRefund,
};

/** A refund that the processor has accepted. It ends without a further request of the merchant. */
const takenRefund = (plan: Partial<Plan>, outcomes: KindModel['outcomes']): KindModel => ({
  ...refund,
  outcomes,
  async prepare(shop, world) {
    await refund.prepare(shop, world);
    shop.ledger.plan = { ...shop.ledger.plan, ...plan };
    await refund.ask(shop, world.living);
    shop.ledger.endRefund();
    shop.clock.move(2 * 3_600_000);
  },
  async ask(_shop, process) {
    await process.recover();
    return null;
  },
  async abandon(shop, { refunds, lease }) {
    const row = await refunds.store.find(shop.context(), shop.subject);
    if (row === undefined) throw new Error('gone');
    await refunds.operations.takeOver(row, ['track_refund', 'settle_refund'], lease(), shop.clock.now());
  },
});

export const trackRefund = takenRefund(
  { refund: 'pending' },
  {
    succeeded: { plan: { refundEnd: 'succeeded' }, end: refunded },
    failed: { plan: { refundEnd: 'failed' }, end: refundFailed },
  },
);

export const settleRefund = takenRefund({ refund: 'succeeded' }, { succeeded: { plan: {}, end: refunded } });

const disputed = ['dispute.created'];
const factsAbout = ({ dispute }: Shop) => {
  if (dispute === null) throw new Error('no dispute');
  return dispute;
};

const dispute = (move: Move, ends: { readonly done: End; readonly refused: End }): KindModel => ({
  processors: both,
  outcomes: {
    done: { plan: { dispute: 'done' }, end: ends.done },
    refused: { plan: { dispute: 'refused' }, end: ends.refused },
  },
  async prepare(shop, world) {
    const facts = factsOf(await paid(shop, world, 'succeeded'), {
      respondBy: new Date(shop.clock.now().getTime() + 10 * dayMs),
      raisedAt: shop.clock.now(),
      upstreamId: 'DISPUTE',
    });
    shop.dispute = facts;
    await world.living.notify(shop.context(), { kind: 'dispute', facts });
    const row = await world.living.disputes.store.findByUpstreamId(shop.context(), facts.upstreamId);
    shop.subject = row?.id ?? '';
  },
  ask: (shop, process) =>
    shop.send(process, 'k', (context, idempotent) =>
      answerDispute(process.disputes, context, shop.subject, move, idempotent),
    ),
  update: (shop) => shop.ledger.disputeUpdate(factsAbout(shop)),
  async read(shop, { disputes }) {
    const row = await disputes.store.find(shop.context(), shop.subject);
    if (row === undefined) throw new Error('gone');
    return {
      status: row.status,
      code: null,
      shown: JSON.parse(writeDispute(disputes, shop.context(), row)),
      kept: null,
    };
  },
});

export const acceptance = dispute(accept, {
  done: end('accepted', ['accepted'], [...disputed, 'dispute.closed']),
  refused: refusal('action_required', disputed),
});

export const defence = dispute(defend, {
  done: end('challenged', ['challenged'], [...disputed, 'dispute.updated']),
  refused: refusal('action_required', disputed),
});

export const conclude: KindModel = {
  ...acceptance,
  outcomes: { concluded: { plan: {}, end: end('accepted', [], [...disputed, 'dispute.closed']) } },
  async prepare(shop, world) {
    await acceptance.prepare(shop, world);
    shop.clock.move(11 * dayMs);
  },
  async ask(_shop, process) {
    await expireDisputes(process.disputes);
    return null;
  },
  async abandon(shop, process) {
    const row = await process.disputes.store.find(shop.context(), shop.subject);
    if (row === undefined) throw new Error('gone');
    const intent = { subject: row, kind: 'conclude', upstreamKey: `${row.id}:x` } as const;
    await process.disputes.operations.begin({ ...intent, at: shop.clock.now(), ...withoutKey(process) });
  },
  update: (shop) => ({ kind: 'dispute', facts: { ...factsAbout(shop), status: 'accepted' } }),
};

export const remove: KindModel = {
  processors: both,
  outcomes: { removed: { plan: {}, end: end('removed', ['remove'], []) } },
  async prepare(shop, world) {
    const { methods } = world.living;
    const context = shop.context();
    const customer = await createCustomer(methods.customers, context, { email: 'jane@shop.example' }, null);
    const { id: customerId } = JSON.parse(customer ?? '') as { id: string };
    const card = savedCard(customerId, context.now, { token });
    const { id, row } = await prepareMethod(methods, context, card);
    await commitMethod(world.db, context, row);
    shop.subject = id ?? '';
  },
  // A repeated removal finds no method and fails.
  async ask(shop, process) {
    await removePaymentMethod(process.methods, shop.context(), shop.subject, null).catch(() => {});
    return null;
  },
  update: (shop) => shop.ledger.tokenUpdate(),
  async read(shop, { methods }) {
    const row = await methods.store.find(shop.context(), shop.subject);
    return { ...nothing, status: row?.removed_at === null ? 'kept' : 'removed' };
  },
};
