import { afterAll, beforeAll, expect, it } from 'vitest';
import { readRestriction } from '../api-keys/restriction.ts';
import { capturePayment } from '../payments/operations/capture.ts';
import { cardPayment, chargedAs, createMoneyKit, type MoneyKit, Shop } from '../payments/test-kit.ts';
import type { SettledOutcome } from '../processors/port/port.ts';
import { idsOnly } from '../processors/upstream/facts.ts';
import { createRefund } from '../refunds/create-refund.ts';

let kit: MoneyKit;
beforeAll(async () => {
  kit = await createMoneyKit();
});
afterAll(() => kit.drop());

const held: SettledOutcome = {
  kind: 'authorized',
  facts: idsOnly({ order: 'ORDER1', authorization: 'AUTH1' }),
  deadlines: { guaranteedUntil: null, expires: null },
};

/** Contexts in which everything above 1000 needs an approval: by the key's restriction, and by the role of a member. */
const asking = {
  key: () => ({
    restriction: readRestriction(
      { permissions: ['payments:*', 'refunds:*'], approval_above: 1000 },
      kit.clock.now(),
    ),
  }),
  role: () => ({ roleWaitsAbove: 1000 }),
};
const who = ['key', 'role'] as const;

it.each(who)(
  'a refund of a %s that was let go ahead before its payment succeeded does not begin',
  async (by) => {
    const shop = await Shop.open(kit);
    kit.processor.answers = { charge: async () => chargedAs('PSP1') };
    await shop.pay('k');
    const paymentId = (await shop.paymentOf('k')).id;
    const refund = (amount?: number) => {
      const request = amount === undefined ? {} : { amount };
      return createRefund(kit.refunds, shop.context(asking[by]()), {
        paymentId,
        request,
        claim: null,
        resumes: null,
      });
    };
    await expect(refund()).rejects.toMatchObject({ code: 'provider_unavailable' });
    await expect(refund(1001)).rejects.toMatchObject({ code: 'provider_unavailable' });
    kit.processor.answers.refund = async () => ({ kind: 'succeeded', upstreamId: 'R1' });
    expect(await refund(1000)).toMatchObject({ status: 201 });
  },
);

it('captures that a processor was never asked for take nothing of what a key may move on a day', async () => {
  const shop = await Shop.open(kit, 'processor_b');
  const limited = () => ({
    restriction: readRestriction({ permissions: ['payments:*'], max_daily: 4990 }, kit.clock.now()),
  });
  kit.processor.answers = {
    charge: async () => held,
    capture: async () => ({ kind: 'succeeded', facts: idsOnly({ capture: 'CAPTURE1' }) }),
  };
  await shop.pay('k', {}, { ...cardPayment, capture_method: 'manual' });
  const { id } = await shop.paymentOf('k');
  const refusing: typeof kit.payments.connect = (tenant) => {
    const connected = kit.payments.connect(tenant);
    return connected && { ...connected, port: { ...connected.port, retryAfterSeconds: () => 5 } };
  };
  const capture = (deps = kit.payments) =>
    capturePayment(deps, shop.context(limited()), id, { claim: null, resumes: null });
  for (let tries = 0; tries < 2; tries += 1) {
    const refused = capture({ ...kit.payments, connect: refusing });
    await expect(refused).rejects.toMatchObject({ code: 'provider_unavailable' });
  }
  expect(await capture()).toMatchObject({ status: 200 });
});

it.each(who)(
  'a capture of a %s that was let go ahead before its payment was authorized does not begin',
  async (by) => {
    const shop = await Shop.open(kit, 'processor_b');
    kit.processor.answers = { charge: async () => held };
    await shop.pay('k', {}, { ...cardPayment, capture_method: 'manual' });
    const { id } = await shop.paymentOf('k');
    const capture = capturePayment(kit.payments, shop.context(asking[by]()), id, {
      claim: null,
      resumes: null,
    });
    await expect(capture).rejects.toMatchObject({ code: 'provider_unavailable' });
    expect((await shop.paymentOf('k')).status).toBe('authorized');
  },
);
