import { expect } from 'vitest';
import type { Merchant } from '../../support/merchant.ts';
import type { Page } from './browser.ts';

export const withQuery = {
  success_url: 'https://shop.example/ok?order=7&lang=de',
  failure_url: 'https://shop.example/failed?order=7',
};
export const goodCard = { number: '4111 1111 1111 1111', expiry: '03/32', cvc: '737', name: 'Jane Smith' };

/** Creates a payment that waits for a card on its checkout page. */
export async function openCardFields(merchant: Merchant, changes: Record<string, unknown> = {}) {
  const { status, body } = await merchant.pay({
    payment_method: { type: 'card_fields' },
    ...withQuery,
    ...changes,
  });
  expect(status).toBe(201);
  return { id: body.id as string, url: body.next_action.checkout_url as string };
}

export const read = async (merchant: Merchant, id: string) =>
  (await merchant.get(`/api/v1/payments/${id}`)).body;

/** The charges that the simulated processor really made for this payment. */
export const chargesOf = async (merchant: Merchant, id: string) =>
  (await merchant.ledger()).charges.filter(({ reference }) => reference === id);

export async function expectUntouched(merchant: Merchant, id: string): Promise<void> {
  expect((await read(merchant, id)).status).toBe('requires_action');
  expect(await chargesOf(merchant, id)).toEqual([]);
}

/** Expects the security headers that every page has, and our one script as the only one that can run. */
export function expectSafe({ headers, text }: Page): void {
  const policy = headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).toContain("form-action 'self'");
  expect(policy).not.toContain('unsafe');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('referrer-policy')).toBe('no-referrer');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(headers.get('set-cookie') ?? '').toMatch(
    /^(|till_checkout=[\w-]{22}; Path=\/; HttpOnly; SameSite=Lax)$/,
  );
  const scripts = text.match(/<script.*?<\/script>/gs) ?? [];
  expect(scripts).toHaveLength(1);
  expect(scripts[0]).toMatch(
    /^<script src="\/checkout\/assets\/checkout-[0-9a-f]{12}\.js" integrity="sha384-[\w+/=]{64}" defer><\/script>$/,
  );
  expect(text).not.toMatch(/<style|style=|\son[a-z]+=|javascript:/i);
}
