import type { Merchant } from '../../support/merchant.ts';

/** Fictitious buyers. */
const buyers = [
  ['Ada Lindqvist', 'ada.lindqvist@mail.example', 'SE'],
  ['Bruno Almeida', 'bruno.almeida@mail.example', 'PT'],
  ['Chiara Conti', 'chiara.conti@mail.example', 'IT'],
  ['Daan Visser', 'daan.visser@mail.example', 'NL'],
  ['Emi Tanaka', 'emi.tanaka@mail.example', 'JP'],
  ['Fatima Al-Sabah', 'fatima.alsabah@mail.example', 'KW'],
  ['Greta Neumann', 'greta.neumann@mail.example', 'DE'],
  ['Hugo Laurent', 'hugo.laurent@mail.example', 'FR'],
] as const;

const cards = [
  {},
  { number: '5555555555554444' },
  { number: '370000000000002', cvc: '7373' },
  { number: '4000020000000000' },
] as const;

const declines = ['CCREJECT-IF', 'CCREJECT-REFUSED', 'CCREJECT-EC', 'CCREJECT-CVV_F', 'CCREJECT-IF'] as const;

const basket = [2450, 3990, 1290, 8900, 5400, 12_900, 1890, 7450, 3290, 21_500] as const;

/** Adds the customers of the shop. @returns their ids */
export async function addCustomers(shop: Merchant): Promise<string[]> {
  const ids: string[] = [];
  for (const [index, [name, email, country]] of buyers.entries()) {
    const { body } = await shop.post('/api/v1/customers', {
      name,
      email,
      external_id: `shop-${2041 + index}`,
      billing_address: {
        line1: `Harbour Street ${index + 3}`,
        city: 'Seaport',
        postal_code: '10115',
        country,
      },
      ...(index % 2 === 0 ? { phone: '+49 30 901820', locale: 'de-DE', metadata: { tier: 'gold' } } : {}),
    });
    ids.push(body.id);
  }
  return ids;
}

function options(n: number, customers: readonly string[]): Record<string, unknown> {
  const amount = basket[n % basket.length] ?? 4990;
  const money =
    n % 8 === 5
      ? { currency: 'JPY', amount: amount * 2 }
      : n % 13 === 7
        ? { currency: 'KWD', amount: amount * 5 }
        : { currency: 'EUR', amount };
  const decline = n % 9 === 3 ? declines[Math.floor(n / 9) % declines.length] : undefined;
  const customer = n % 3 === 0 ? undefined : customers[n % customers.length];
  return {
    ...money,
    reference: `order-${10_400 + n}`,
    card: {
      ...cards[n % cards.length],
      holder_name: decline ?? buyers[n % buyers.length]?.[0],
    },
    ...(customer === undefined ? {} : { customer, save_payment_method: n % 6 === 1 }),
  };
}

/** More payments at the weekend, and never the same number on two consecutive days. */
const paymentsOn = (day: number) => 3 + ((day * 5) % 4) + (day % 7 > 4 ? 3 : 0);

const daySeconds = 24 * 3600;

/**
 * Sells for some days by the shop's own clock, which is that far ahead afterwards.
 * @param happenings further events, by the number of days before the end
 */
export async function tradeFor(
  shop: Merchant,
  customers: readonly string[],
  days: number,
  happenings: ReadonlyMap<number, () => Promise<unknown>>,
): Promise<void> {
  let n = 0;
  for (let left = days; left > 0; left -= 1) {
    await happenings.get(left)?.();
    const count = paymentsOn(left);
    for (let sold = 0; sold < count; sold += 1) {
      n += 1;
      await sell(shop, n, customers);
      await shop.post('/api/v1/test_helpers/clock/advance', { seconds: Math.floor(daySeconds / count) });
    }
  }
}

/** Makes one payment. Some payments are refunded in part, others completely. */
async function sell(shop: Merchant, n: number, customers: readonly string[]): Promise<void> {
  const { body } = await shop.pay(options(n, customers));
  if (body.status !== 'succeeded' || n % 11 !== 4) return;
  const part = n % 2 === 0 ? {} : { amount: Math.floor(body.amount / 4) };
  const reason = n % 3 === 0 ? 'duplicate' : 'requested_by_customer';
  await shop.post(`/api/v1/payments/${body.id}/refunds`, { ...part, reason });
}
