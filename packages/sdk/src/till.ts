import { Client } from './http/client.ts';
import type { TillOptions } from './http/settings.ts';
import { Approvals } from './resources/approvals.ts';
import { ClientTokens } from './resources/client-tokens.ts';
import { Customers } from './resources/customers.ts';
import { Disputes } from './resources/disputes.ts';
import { Events } from './resources/events.ts';
import { Files } from './resources/files.ts';
import { PaymentLinks } from './resources/payment-links.ts';
import { PaymentMethods } from './resources/payment-methods.ts';
import { Payments } from './resources/payments.ts';
import { Payouts } from './resources/payouts.ts';
import { Refunds } from './resources/refunds.ts';
import { TestHelpers } from './resources/sandbox-helpers.ts';

/**
 * Client of Till's API for the account that the API key belongs to.
 * @example
 * const till = new Till({ apiKey: 'sk_test_…', baseUrl: 'https://pay.shop.example' });
 * const payment = await till.payments.retrieve('pay_…');
 */
export class Till {
  readonly payments: Payments;
  readonly refunds: Refunds;
  readonly approvals: Approvals;
  readonly customers: Customers;
  readonly paymentLinks: PaymentLinks;
  readonly paymentMethods: PaymentMethods;
  readonly clientTokens: ClientTokens;
  readonly events: Events;
  readonly disputes: Disputes;
  readonly files: Files;
  readonly payouts: Payouts;
  readonly testHelpers: TestHelpers;

  /**
   * Creates a client.
   * @throws TypeError if an option is invalid
   * @throws Error in a browser
   */
  constructor(options: TillOptions) {
    const client = new Client(options);
    this.payments = new Payments(client);
    this.refunds = new Refunds(client);
    this.approvals = new Approvals(client);
    this.customers = new Customers(client);
    this.paymentLinks = new PaymentLinks(client);
    this.paymentMethods = new PaymentMethods(client);
    this.clientTokens = new ClientTokens(client);
    this.events = new Events(client);
    this.disputes = new Disputes(client);
    this.files = new Files(client);
    this.payouts = new Payouts(client);
    this.testHelpers = new TestHelpers(client);
  }
}
