import { expect } from 'vitest';
import type { Merchant } from '../../support/merchant.ts';
import type { Page } from '../checkout/browser.ts';
import { goodCard } from '../checkout/kit.ts';
import { addressOf, type Buyer } from './buyer.ts';

export const path = '/api/v1/payment_links';
export const card = { ...goodCard, way: 'card' };

/** Creates a payment link, by default for a course at €49.90. */
export async function openLink(shop: Merchant, fields: object = {}) {
  const course = { title: 'Pottery course', currency: 'EUR', amount: 4990 };
  const { status, body } = await shop.post(path, { ...course, ...fields });
  expect(status).toBe(201);
  return { id: body.id as string, url: addressOf(body.url) };
}

interface LinkPayment {
  readonly id: string;
  readonly status: string;
  readonly customer: string | null;
  readonly payment_method_id: string | null;
}

export const paymentsOf = async (shop: Merchant, link: string): Promise<readonly LinkPayment[]> =>
  (await shop.get(`/api/v1/payments?payment_link=${link}`)).body.data;

export const countOf = async (shop: Merchant, link: string): Promise<number> =>
  (await shop.get(`${path}/${link}`)).body.payments_count;

/** How many charges the simulated processor really made for a link. */
export async function chargesOf(shop: Merchant, link: string): Promise<number> {
  const ids = new Set((await paymentsOf(shop, link)).map(({ id }) => id));
  return (await shop.ledger()).charges.filter(({ reference }) => ids.has(reference)).length;
}

/** Pays with the card form of a link of processor_a, which is its first page. */
export const payByCard = async (buyer: Buyer, url: string, changes: object = {}): Promise<Page> =>
  buyer.send(await buyer.open(url), { ...card, ...changes });
