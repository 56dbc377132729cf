import { afterAll, beforeAll, expect, it } from 'vitest';
import { CleanUp } from '../../support/clean-up.ts';
import { heldSeconds, holdNotifications } from '../../support/late-notifications.ts';
import { Merchant, till, tillRaw } from '../../support/merchant.ts';

const cleanUp = new CleanUp();
let shop: Merchant;
let refund: string;

/** A refund that the processor will refuse, but about which it has not reported anything yet. */
beforeAll(async () => {
  shop = await Merchant.open();
  await holdNotifications(cleanUp, shop);
  const payment = (await shop.pay()).body.id;
  const note = 'SIM-REFUND-FAIL-ASYNC';
  refund = (await shop.post(`/api/v1/payments/${payment}/refunds`, { amount: 300, note })).body.id;
});
afterAll(cleanUp.run);

const read = async () => (await shop.get(`/api/v1/refunds/${refund}`)).body;
const settle = (id: string, ...more: string[]) =>
  tillRaw(
    'payments',
    'settle-refund',
    id,
    '--as',
    'failed',
    '--reason',
    'Not in their list',
    '--json',
    ...more,
  );
const codeOf = ({ exitCode, out }: { exitCode: number | null; out: string }) => [
  exitCode,
  JSON.parse(out).error.code,
];

it('till payments settle-refund says what it would do, and ends a refund only where that is confirmed', async () => {
  const asked = await settle(refund);
  expect(codeOf(asked)).toEqual([1, 'not_confirmed']);
  expect(JSON.parse(asked.out).error.message).toContain('the buyer gets it twice if');
  expect(await read()).toMatchObject({ status: 'pending' });

  const settled = await settle(refund, '--confirm');
  expect(JSON.parse(settled.out)).toMatchObject({
    account: shop.id,
    id: refund,
    status: 'failed',
    failure: { code: 'not_processed' },
  });
  expect(await read()).toMatchObject({ status: 'failed', failure: { code: 'not_processed' } });
  const { data } = (await shop.get('/api/v1/events?type=refund.failed')).body;
  expect(data).toMatchObject([{ data: { object: await read() } }]);

  expect(codeOf(await settle(refund, '--confirm'))).toEqual([1, 'already_settled']);
  // A late notification of the processor does not change the settled refund.
  await till('clock', 'advance', '--account', shop.id, '--seconds', String(heldSeconds + 60));
  expect(await read()).toMatchObject({ status: 'failed', failure: { code: 'not_processed' } });
});

it('till payments settle-refund refuses a refund that is not there', async () => {
  expect(codeOf(await settle(`re_${'0'.repeat(24)}`, '--confirm'))).toEqual([1, 'refund_not_found']);
});
