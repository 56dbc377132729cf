import type { Provider } from '@till/contract';
import { cardPayment } from '../../support/card-payment.ts';
import type { Client } from '../client.ts';

/** A sequence of requests of a merchant's program for one payment. */
export interface Flow {
  readonly name: string;
  readonly processor: Provider;
  /**
   * Runs the flow. The same client repeats the same requests when it runs the flow again.
   * @param begin called once, after the preparation and before the requests to be tested
   */
  readonly run: (client: Client, begin: () => void) => Promise<void>;
  /** Set if the requests must not be repeated: later they would rightly be new ones. */
  readonly isOnce?: true;
}

/** The functions of flows by name. */
export type Runs = Readonly<Record<string, Flow['run']>>;

export const payments = '/api/v1/payments';

export const pay = (client: Client, step: string, changes: Record<string, unknown> = {}) =>
  client.post(step, payments, cardPayment({ reference: `${client.run}-${step}`, ...changes }));

/** Pays with a card that is saved. */
export const saving = (client: Client) =>
  pay(client, 'save', {
    customer: { email: `${client.run.toLowerCase()}@shop.example` },
    save_payment_method: true,
  });

export const dayMs = 24 * 3_600_000;
