import { walletProvider } from '../primitives/processors.ts';

/** The sections of the merchant API in reading order. An operation's `tag` names one of them. */
export const apiTags: readonly { readonly name: string; readonly description: string }[] = [
  {
    name: 'Payments',
    description:
      'Charge a card, a wallet or a saved method, at once or by a hold. A decline is a payment with `status: failed`, not an HTTP error. Guides: [cards](/docs/cards), [wallet and card fields](/docs/wallet-and-card-fields), [hold and capture](/docs/hold-and-capture).',
  },
  {
    name: 'Refunds',
    description: 'Give back all or a part of a payment. Guide: [refunds](/docs/refunds).',
  },
  {
    name: 'Payment links',
    description:
      'Addresses at which buyers pay, without a shop and without code. Guide: [payment links](/docs/payment-links).',
  },
  {
    name: 'Approvals',
    description:
      'Refunds, captures and payment links that a restricted key, or a role in the dashboard, may not have done by itself: they wait for a person. Guide: [approvals](/docs/approvals).',
  },
  {
    name: 'Customers',
    description: 'Who pays. A customer can have saved cards and wallets.',
  },
  {
    name: 'Payment methods',
    description:
      'Saved cards and wallets of customers. Guide: [saving and subscriptions](/docs/saving-and-subscriptions).',
  },
  {
    name: 'Client tokens',
    description: `Short-lived tokens for the wallet's browser SDK, on accounts of ${walletProvider}.`,
  },
  {
    name: 'Disputes',
    description:
      'Planned: these endpoints answer 404 unless the operator has turned them on. Guide: [disputes](/docs/disputes).',
  },
  { name: 'Files', description: 'Evidence for disputes. Planned, like them.' },
  {
    name: 'Payouts',
    description:
      'Which payments, refunds, chargebacks and fees a payout of the processor holds, once its report was imported. Guide: [payouts](/docs/payouts).',
  },
  {
    name: 'Events',
    description:
      'What happened, in order: the same events as webhooks bring. Guide: [webhooks](/docs/webhooks).',
  },
  {
    name: 'Test helpers',
    description:
      'Move time, play the buyer, settle refunds, open disputes: with `sk_test_` keys only, a live key gets 404. Guide: [testing](/docs/testing).',
  },
];
