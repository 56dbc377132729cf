import type { merchantApi } from '../api/merchant-api.ts';
import { walletProvider } from '../primitives/processors.ts';
import type { eventStream } from './event-stream.ts';

/** The description of each operation in the API reference, below its summary. Links lead to the guides. */
export const operationDescriptions: Readonly<
  Record<keyof typeof merchantApi | (typeof eventStream)['id'], string>
> = {
  createCustomer:
    'The e-mail address is unique per account and mode. A customer can also be created within a payment.',
  retrieveCustomer: 'Answers the customer as it is now.',
  updateCustomer:
    'Changes the fields that are sent; null clears one. An address or `metadata` takes the place of the whole one that was there.',
  listCustomers: 'Pages through customers; `email` finds one exactly.',
  createPayment:
    'Charges a card or a saved method, or begins what the buyer has to approve (`requires_action`). 201: charged, held or waiting for the buyer. 200: declined, with `status: failed`. Send either `payment_method`, `stored_payment_method` or `use_last_payment_method`. Guides: [cards](/docs/cards), [line items](/docs/line-items), [risk data](/docs/risk-data).',
  retrievePayment: 'Answers the payment as it is now.',
  listPayments: 'Pages through payments, filtered by what they are.',
  confirmPayment:
    'Ends a payment that waits for its buyer, once they have approved it. A decline is a 200 with `status: failed`. Confirming again changes nothing.',
  capturePayment:
    'Collects a hold. There is no partial capture. Guide: [hold and capture](/docs/hold-and-capture).',
  voidPayment: 'Releases a hold, also one that has expired. No money moves.',
  createRefund:
    'Gives back all that is left, or `amount` of it. The refund is `pending` until the processor has settled it. Guide: [refunds](/docs/refunds).',
  listRefunds: 'Pages through the refunds of one payment.',
  retrieveRefund: 'Answers the refund as it is now.',
  createPaymentLink:
    'An address at which buyers pay without a line of your code. Send either `amount` or `amount_range`. Guide: [payment links](/docs/payment-links).',
  retrievePaymentLink: 'Answers the payment link as it is now.',
  updatePaymentLink:
    'Changes the fields that are sent; null clears one. Amount and currency stay: what was sent out keeps its price.',
  listPaymentLinks: 'Pages through payment links; `status` filters them.',
  listApprovals: 'Pages through what waits, or waited, for a person. Guide: [approvals](/docs/approvals).',
  retrieveApproval:
    'Answers the approval as it is now. It is decided in the dashboard or at the command line, never by the API.',
  listPaymentMethods: 'Pages through what a customer has saved.',
  retrievePaymentMethod: 'Answers the saved card or wallet without its number.',
  deletePaymentMethod: 'From now on nothing can charge it. The processor is asked to forget it too.',
  deleteCustomerPaymentMethod: 'The same as removing it by its own address.',
  createClientToken: `Lets the wallet’s browser SDK run on your own page. Accounts of ${walletProvider} only.`,
  listDisputes: 'Pages through disputes, filtered by what they are.',
  retrieveDispute: 'Answers the dispute as it is now.',
  acceptDispute: 'Gives the money up. This cannot be undone.',
  defendDispute:
    'Sends your evidence to the processor, before `respond_by`. Guide: [disputes](/docs/disputes).',
  createFile: 'Keeps a file for the evidence of a dispute. One that no dispute uses is deleted after 7 days.',
  retrieveFile: 'Answers name, type and size; the content is never given out.',
  listPayouts: 'Pages through the payouts whose reports were imported.',
  retrievePayout: 'Answers gross, fees and net of a payout.',
  listPayoutLines: 'Pages through the movements of a payout. Guide: [payouts](/docs/payouts).',
  retrieveEvent: 'Answers the event as webhooks bring it.',
  listEvents: 'Pages through the log of events, which webhooks are made from.',
  streamEvents:
    'Sends the events of the log as they are written, as `text/event-stream`. At most 10 streams per key. Guide: [webhooks](/docs/webhooks).',
  advanceClock: 'Every deadline of the sandbox account goes by its clock, which only moves forward.',
  approvePayment: 'Plays the buyer of a sandbox payment that waits for one.',
  settleRefund: 'Settles a pending refund of the sandbox without waiting for its time.',
  openTestDispute: 'Opens a dispute of a sandbox payment, or leads an open one on.',
};
