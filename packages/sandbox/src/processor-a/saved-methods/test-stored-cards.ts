import { answerChallenge } from '../authorisation/challenges.ts';
import { type Answer, payment, type TestClient } from '../test-client.ts';

/** The additional fields of a payment that stores its card. */
export const saving = {
  storePaymentMethod: true,
  shopperReference: 'cus_1',
  shopperInteraction: 'Ecommerce',
  recurringProcessingModel: 'CardOnFile',
};

export function tokenIn({ json }: Answer): string | undefined {
  return json.additionalData?.['tokenization.storedPaymentMethodId'];
}

/**
 * Stores a card by means of a payment.
 * @returns its token
 */
export async function save(
  client: TestClient,
  account: string,
  card: Readonly<Record<string, unknown>> = {},
  rest: object = {},
): Promise<string> {
  const answer = await client.pay(payment(account, card, { ...saving, ...rest }));
  return tokenIn(answer) ?? `no token: ${answer.text}`;
}

/** The body of a stored card's charge, merchant-initiated unless `rest` says otherwise. */
export function storedCharge(account: string, token: string, rest: object = {}) {
  const { paymentMethod: _card, ...body } = payment(account);
  return {
    ...body,
    paymentMethod: { type: 'scheme', storedPaymentMethodId: token },
    shopperReference: 'cus_1',
    shopperInteraction: 'ContAuth',
    recurringProcessingModel: 'Subscription',
    ...rest,
  };
}

/** Passes the challenge that a response asks for, and completes the payment. */
export async function passChallenge(client: TestClient, answer: Answer): Promise<Answer> {
  const id = answer.json.action?.url.split('/').at(-1) ?? '';
  const resolved = await answerChallenge(client.deps, id, 'approved');
  const redirectResult = new URL(resolved?.returnUrl ?? '').searchParams.get('redirectResult');
  return client.post('/payments/details', { details: { redirectResult } });
}
