export const testCard = {
  type: 'card',
  number: '4111111111111111',
  exp_month: 3,
  exp_year: 2032,
  cvc: '737',
  holder_name: 'Jane Smith',
};

/**
 * The body of a complete card payment. `card` overrides fields of the card, all other keys override fields of
 * the payment.
 */
export function cardPayment({ card, ...changes }: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    amount: 4990,
    currency: 'EUR',
    payment_method: { ...testCard, ...(card as object | undefined) },
    success_url: 'https://shop.example/ok',
    failure_url: 'https://shop.example/failed',
    ...changes,
  };
}
