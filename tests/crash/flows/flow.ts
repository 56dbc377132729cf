import type { Provider } from '@till/contract';
import { cardPayment } from '../../support/card-payment.ts';
import type { Client } from '../client.ts';

/** What a merchant's program does with one payment. */
export interface Flow {
  readonly name: string;
  readonly processor: Provider;
  /**
   * Run again by the same client it repeats the same requests.
   * @param begin called once where what is tried begins; before it stands what has to be there already
   */
  readonly run: (client: Client, begin: () => void) => Promise<void>;
  /** Whether its requests are made only once: repeated later they would rightly be new ones. */
  readonly isOnce?: true;
}

/** What a flow does, without its name. */
export type Runs = Readonly<Record<string, Flow['run']>>;

export const payments = '/api/v1/payments';

export const pay = (client: Client, step: string, changes: Record<string, unknown> = {}) =>
  client.post(step, payments, cardPayment({ reference: `${client.run}-${step}`, ...changes }));

/** Pays with a card that is kept. */
export const saving = (client: Client) =>
  pay(client, 'save', {
    customer: { email: `${client.run.toLowerCase()}@shop.example` },
    save_payment_method: true,
  });

export const dayMs = 24 * 3_600_000;
