import { beforeAll, describe, expect, it } from 'vitest';
import { Merchant, target, till } from '../../support/merchant.ts';
import { follow, linkOf, onwards, type Page, shown, submit, visit } from './browser.ts';

const wallet = { payment_method: { type: 'processor_b' } };
const challengeCard = { card: { number: '4212345678910006' } };
const addresses = {
  success_url: 'https://shop.example/ok?order=7',
  failure_url: 'https://shop.example/failed?order=7',
};
/** The sentence for a payment that the wallet declined, by page language. */
const declinedByWallet: Readonly<Record<string, string>> = {
  en: 'PayPal declined this payment.',
  de: 'PayPal hat diese Zahlung abgelehnt.',
  fr: 'PayPal a refusé ce paiement.',
  es: 'PayPal ha rechazado este pago.',
  it: 'PayPal ha rifiutato questo pagamento.',
  nl: 'PayPal heeft deze betaling geweigerd.',
  'pt-BR': 'O PayPal recusou este pagamento.',
  pl: 'PayPal odrzucił tę płatność.',
  sv: 'PayPal nekade betalningen.',
  ja: 'PayPal がこの支払いを承認しませんでした。',
  'zh-CN': 'PayPal 拒绝了这笔付款。',
  ar: 'رُفضت هذه الدفعة لدى PayPal.',
};
let shop: Merchant;
let bankShop: Merchant;

beforeAll(async () => {
  shop = await Merchant.open('processor_b');
  bankShop = await Merchant.open();
});

interface Waiting {
  readonly id: string;
  readonly checkout: string;
  readonly redirect: string;
}

async function waiting(changes: Record<string, unknown>, merchant = shop): Promise<Waiting> {
  const { status, body } = await merchant.pay({ ...addresses, ...changes });
  expect(status).toBe(201);
  const { checkout_url: checkout, redirect_url: redirect } = body.next_action;
  return { id: body.id, checkout, redirect };
}

const read = async (id: string, merchant = shop) => (await merchant.get(`/api/v1/payments/${id}`)).body;
const confirm = (id: string, merchant = shop) => merchant.post(`/api/v1/payments/${id}/confirm`);
const chargesOf = async (id: string, merchant = shop) =>
  (await merchant.ledger()).charges.filter(({ reference }) => reference === id);

async function expectUntouched(id: string, merchant = shop): Promise<void> {
  expect((await read(id, merchant)).status).toBe('requires_action');
  expect(await chargesOf(id, merchant)).toEqual([]);
}

/** Goes from the checkout page to the sandbox's approval page. */
async function toApproval({ checkout, redirect }: Waiting): Promise<Page> {
  const away = await visit(linkOf(await visit(checkout), 'Continue to PayPal'));
  expect(away.status).toBe(303);
  expect(onwards(away)).toBe(redirect);
  return visit(redirect);
}

/** Presses a button on a page of the sandbox and follows the redirects. */
const press = async (page: Page, action: string, more: Record<string, string> = {}) =>
  follow(await submit(page, { action, ...more }));

const okAddress = (id: string) => `${addresses.success_url}&payment_id=${id}`;
const failedAddress = (id: string) => `${addresses.failure_url}&payment_id=${id}`;
const returnAddress = ({ checkout }: Waiting, query = '') =>
  `${checkout.replace('/checkout/pay/', '/checkout/return/')}${query}`;

describe('a wallet payment from our page', () => {
  it('links to the wallet, and charges nothing before the buyer goes there', async () => {
    const payment = await waiting(wallet);
    const page = await visit(payment.checkout);
    expect(page.status).toBe(200);
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.text).toContain('49.90');
    expect(linkOf(page, 'Cancel and return to Test shop')).toBe(failedAddress(payment.id));
    await expectUntouched(payment.id);
  });

  it('is confirmed when the buyer returns approved, and redirects to success_url', async () => {
    const payment = await waiting(wallet);
    const approval = await toApproval(payment);
    expect(approval.text).toContain('Sandbox: no real money moves');
    const back = await press(approval, 'approve');
    expect(new URL(back.url).pathname).toBe(new URL(returnAddress(payment)).pathname);
    expect(back.text).toContain('Your payment is complete');
    expect(onwards(back)?.startsWith(okAddress(payment.id))).toBe(true);
    expect((await read(payment.id)).status).toBe('succeeded');
    expect(await chargesOf(payment.id)).toHaveLength(1);
  });

  it('does not change when the browser returns again', async () => {
    const payment = await waiting(wallet);
    const back = await press(await toApproval(payment), 'approve');
    const settled = await read(payment.id);
    for (const url of [back.url, back.url, returnAddress(payment), `${payment.checkout}/wait`]) {
      const page = await visit(url);
      expect(shown(page)).toContain('Your payment is complete');
      expect(onwards(page)?.startsWith(okAddress(payment.id))).toBe(true);
    }
    for (const url of [payment.checkout, `${payment.checkout}/continue`, `${payment.checkout}/card`]) {
      const page = await visit(url);
      expect(shown(page)).toContain('This payment is already complete. You have not been charged twice.');
      expect(onwards(page)).toBeUndefined();
      expect(linkOf(page, 'Return to Test shop')).toBe(okAddress(payment.id));
    }
    const cancelled = await visit(back.url.replace('/return/', '/cancel/'));
    expect(onwards(cancelled)?.startsWith(okAddress(payment.id))).toBe(true);
    expect(await read(payment.id)).toEqual(settled);
    expect(await chargesOf(payment.id)).toHaveLength(1);
  });

  it('returns to our page after Cancel, says that no money was taken, and can be tried again', async () => {
    const payment = await waiting(wallet);
    const back = await press(await toApproval(payment), 'cancel');
    expect(back.status).toBe(200);
    expect(onwards(back)).toBeUndefined();
    expect(back.text).toContain('No money has been taken');
    await expectUntouched(payment.id);
    const away = await visit(linkOf(back, 'Continue to PayPal'));
    const approved = await press(await visit(onwards(away) ?? ''), 'approve');
    expect(approved.text).toContain('Your payment is complete');
    expect(await chargesOf(payment.id)).toHaveLength(1);
  });

  it('ends at failure_url where the funding is declined', async () => {
    const payment = await waiting(wallet);
    const back = await press(await toApproval(payment), 'decline');
    expect(back.text).toContain('No money has been taken');
    expect(onwards(back)?.startsWith(failedAddress(payment.id))).toBe(true);
    expect(await read(payment.id)).toMatchObject({ status: 'failed', failure: { code: 'declined' } });
  });

  it('names the wallet that declined, in every language', async () => {
    const payment = await waiting(wallet);
    const back = await press(await toApproval(payment), 'decline');
    expect(shown(back)).toMatch(/^Payment declined PayPal declined this payment\. No money has been taken\./);
    for (const [tag, sentence] of Object.entries(declinedByWallet)) {
      const page = await visit(`${payment.checkout}?lang=${tag}`);
      expect([tag, shown(page)]).toEqual([tag, expect.stringContaining(sentence)]);
    }
  });

  it('that comes back after the 15 minutes is not charged', async () => {
    const merchant = await Merchant.open('processor_b');
    const payment = await waiting(wallet, merchant);
    const page = await submit(await toApproval(payment), { action: 'approve' });
    await till('clock', 'advance', '--account', merchant.id, '--seconds', '901');
    const late = await visit(returnAddress(payment));
    expect(page.status).toBe(303);
    expect(late.text).toContain('This payment link has expired');
    expect(late.text).toContain('No money has been taken');
    expect(onwards(late)).toBe(failedAddress(payment.id));
    expect((await read(payment.id, merchant)).status).toBe('failed');
    expect((await merchant.ledger()).charges).toEqual([]);
  });
});

describe('a wallet payment that the merchant drives by redirect_url', () => {
  it('returns to success_url uncharged; the merchant’s confirm charges it', async () => {
    const payment = await waiting(wallet);
    const back = await press(await visit(payment.redirect), 'approve');
    expect(back.text).toContain('No money has been taken yet');
    expect(onwards(back)?.startsWith(okAddress(payment.id))).toBe(true);
    await expectUntouched(payment.id);
    expect((await confirm(payment.id)).body.status).toBe('succeeded');
    expect(await chargesOf(payment.id)).toHaveLength(1);
    expect((await visit(back.url)).text).toContain('Your payment is complete');
  });

  it('returns to failure_url after Cancel, and can still be approved', async () => {
    const payment = await waiting(wallet);
    const back = await press(await visit(payment.redirect), 'cancel');
    expect(onwards(back)?.startsWith(failedAddress(payment.id))).toBe(true);
    await expectUntouched(payment.id);
    expect((await confirm(payment.id)).status).toBe(422);
    await press(await visit(payment.redirect), 'approve');
    expect((await confirm(payment.id)).body.status).toBe('succeeded');
  });
});

describe('a forged return', () => {
  const forged = '?liability_shift=POSSIBLE&liability_shifted=true&PayerID=ABC&success=true';

  it('approves nothing', async () => {
    const payment = await waiting(wallet);
    await visit(returnAddress(payment, forged));
    await expectUntouched(payment.id);
    const early = await confirm(payment.id);
    expect(early.status).toBe(422);
    expect(early.body.error.message).toContain('the buyer has not approved this order yet');
    await expectUntouched(payment.id);
  });

  it('approves nothing after the buyer left our page for the wallet', async () => {
    const payment = await waiting(wallet);
    await toApproval(payment);
    const page = await visit(returnAddress(payment, forged));
    expect(page.text).toContain('You have not approved this payment. No money has been taken.');
    expect(linkOf(page, 'Continue to PayPal')).toBe(`${payment.checkout}/continue`);
    await expectUntouched(payment.id);
  });

  it('does not make a failed challenge a passed one', async () => {
    const merchant = await Merchant.open('processor_b', '--three-d-secure', 'always');
    const { id, redirect } = await waiting({}, merchant);
    const answered = await submit(await visit(redirect), { action: 'password', password: 'wrong' });
    const back = onwards(await visit(onwards(answered) ?? '')) ?? '';
    expect(new URL(back).origin).toBe(new URL(target().baseUrl).origin);
    expect(back).toContain('liability_shift=NO');
    await visit(back.replace('liability_shift=NO', 'liability_shift=POSSIBLE'));
    expect((await confirm(id, merchant)).body).toMatchObject({
      status: 'failed',
      failure: { code: '3ds_failed' },
    });
    expect((await merchant.ledger()).charges).toEqual([]);
  });

  it.each(['', '?redirectResult=', '?redirectResult=forged', '?liability_shift=POSSIBLE'])(
    'charges nothing on processor_a, and the challenge can still be passed: %j',
    async (query) => {
      const payment = await waiting(challengeCard, bankShop);
      await visit(returnAddress(payment, query));
      const early = await confirm(payment.id, bankShop);
      expect(early.status).toBe(422);
      expect(early.body.error.message).toContain('the buyer has not approved this order yet');
      await expectUntouched(payment.id, bankShop);
      await press(await visit(payment.redirect), 'password', { password: 'password' });
      expect((await confirm(payment.id, bankShop)).body.status).toBe('succeeded');
      expect(await chargesOf(payment.id, bankShop)).toHaveLength(1);
    },
  );
});

describe('a challenge of processor_a in the browser', () => {
  const fromOurPage = async ({ checkout }: Waiting) =>
    follow(await visit(linkOf(await visit(checkout), 'Continue to your bank')));

  it('passed from our page is confirmed at once and redirects to success_url; returning again changes nothing', async () => {
    const payment = await waiting(challengeCard, bankShop);
    const back = await press(await fromOurPage(payment), 'password', { password: 'password' });
    expect(back.text).toContain('Your payment is complete');
    expect(onwards(back)?.startsWith(okAddress(payment.id))).toBe(true);
    const settled = await read(payment.id, bankShop);
    expect(settled.status).toBe('succeeded');
    expect(onwards(await visit(back.url))).toBe(onwards(back));
    expect(await read(payment.id, bankShop)).toEqual(settled);
    expect(await chargesOf(payment.id, bankShop)).toHaveLength(1);
  });

  it('passed from redirect_url returns to success_url uncharged; the merchant’s confirm charges it', async () => {
    const payment = await waiting(challengeCard, bankShop);
    const back = await press(await visit(payment.redirect), 'password', { password: 'password' });
    expect(back.text).toContain('No money has been taken yet');
    expect(onwards(back)?.startsWith(okAddress(payment.id))).toBe(true);
    await expectUntouched(payment.id, bankShop);
    expect((await confirm(payment.id, bankShop)).body.status).toBe('succeeded');
    expect(await chargesOf(payment.id, bankShop)).toHaveLength(1);
    expect((await visit(back.url)).text).toContain('Your payment is complete');
  });

  it('passed from our page and confirmed by the merchant concurrently is charged once', async () => {
    const payment = await waiting(challengeCard, bankShop);
    const answered = await submit(await fromOurPage(payment), { action: 'password', password: 'password' });
    const returning = onwards(await visit(onwards(answered) ?? '')) ?? '';
    const [page] = await Promise.all([visit(returning), confirm(payment.id, bankShop)]);
    expect(page.text).toMatch(/Your payment is complete/);
    expect(await chargesOf(payment.id, bankShop)).toHaveLength(1);
  });

  it.each([
    ['password', { password: 'wrong' }, '3ds_failed'],
    ['fail', {}, '3ds_failed'],
    ['cancel', {}, '3ds_abandoned'],
  ])('answered by %s %o ends at failure_url with %s', async (action, form, code) => {
    const payment = await waiting(challengeCard, bankShop);
    const back = await press(await fromOurPage(payment), action, form);
    expect(back.text).toContain('No money has been taken');
    expect(onwards(back)?.startsWith(failedAddress(payment.id))).toBe(true);
    const settled = await read(payment.id, bankShop);
    expect(settled).toMatchObject({ status: 'failed', failure: { code } });
    expect(onwards(await visit(back.url))).toBe(onwards(back));
    expect(await read(payment.id, bankShop)).toEqual(settled);
    expect((await chargesOf(payment.id, bankShop)).filter(({ status }) => status === 'captured')).toEqual([]);
  });
});
