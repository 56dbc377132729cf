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
 * Client of Till's API, for the account that the API key belongs to.
 *
 * @example
 * ```ts
 * const till = new Till({
 *   apiKey: process.env.TILL_API_KEY ?? '',
 *   baseUrl: 'https://pay.shop.example',
 * });
 * const payment = await till.payments.retrieve('pay_…');
 * ```
 */
export class Till {
  /** Charges, holds and payments that wait for the buyer. */
  readonly payments: Payments;
  /** Full and partial refunds. */
  readonly refunds: Refunds;
  /** Requests of restricted keys that wait for a person to decide. */
  readonly approvals: Approvals;
  /** Your buyers, with their saved cards and wallets. */
  readonly customers: Customers;
  /** Hosted pages at which buyers pay without any code of yours. */
  readonly paymentLinks: PaymentLinks;
  /** Saved cards and wallets. */
  readonly paymentMethods: PaymentMethods;
  /** Tokens for the wallet's browser SDK. */
  readonly clientTokens: ClientTokens;
  /** The log of events that webhooks deliver. */
  readonly events: Events;
  /** Disputes that buyers opened, if the operator has enabled these endpoints. */
  readonly disputes: Disputes;
  /** Evidence for disputes, if the operator has enabled these endpoints. */
  readonly files: Files;
  /** Amounts that the processors paid out to your bank account. */
  readonly payouts: Payouts;
  /** Operations that only a sandbox has, such as moving its clock. */
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
