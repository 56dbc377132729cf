import { type Static, Type } from 'typebox';
import {
  Amount,
  Currency,
  IdOf,
  ListOf,
  LiveMode,
  limits,
  Metadata,
  Nullable,
  ObjectName,
  PageQuery,
  Ref,
  Text,
  UnixSeconds,
} from '../primitives/common.ts';
import { patterns } from '../primitives/patterns.ts';
import { CustomerMetadata } from './customer.ts';

/** Whether buyers can pay with a link, or why they cannot. */
export const paymentLinkStatuses = ['active', 'inactive', 'completed', 'expired'] as const;
export const PaymentLinkStatus = Type.Enum(paymentLinkStatuses, {
  description:
    '`active`: buyers can pay. `inactive`: switched off. `completed`: paid `max_payments` times. `expired`: `expires_at` has passed.',
});
export type PaymentLinkStatus = Static<typeof PaymentLinkStatus>;

const rangeFields = {
  min: Type.Integer({ ...Amount, description: "The least, in the currency's minor units." }),
  max: Type.Integer({ ...Amount, description: 'The most; not below `min`.' }),
};

/** Bounds of an amount that the buyer enters. */
export const AmountRange = Type.Object(
  {
    ...rangeFields,
    suggested: Type.Optional(Type.Integer({ ...Amount, description: 'What the page offers at first.' })),
  },
  { $id: 'AmountRange', description: 'The buyer enters the amount, within these bounds.' },
);
export type AmountRange = Static<typeof AmountRange>;

export const PaymentLink = Type.Object(
  {
    id: IdOf('pl'),
    object: ObjectName('payment_link'),
    url: Type.String({ description: 'What buyers open. It never changes.' }),
    status: PaymentLinkStatus,
    title: Type.String({ description: 'What is paid for.' }),
    description: Nullable(Type.String(), 'More about it, on the page only.'),
    currency: Currency,
    amount: Nullable(Amount, 'Null: the buyer enters it.'),
    amount_range: Nullable(
      Type.Object({ ...rangeFields, suggested: Nullable(Amount, 'What the page offers at first.') }),
      'Null: `amount` is fixed.',
    ),
    max_payments: Nullable(Type.Integer(), 'How often it can be paid; null: any number of times.'),
    payments_count: Type.Integer({ description: 'How many payments have succeeded.' }),
    expires_at: Nullable(Type.String({ format: 'date-time' }), 'Null: it does not end.'),
    reference_label: Nullable(Type.String(), 'What the buyer has to fill in; null: nothing is asked.'),
    save_payment_method: Type.Boolean({ description: 'Whether the card or wallet is kept.' }),
    success_url: Nullable(Type.String(), 'Where the buyer goes after paying; null: our own page.'),
    failure_url: Nullable(Type.String(), 'Where the buyer goes otherwise; null: our own page.'),
    metadata: Metadata,
    livemode: LiveMode,
    created: UnixSeconds,
  },
  { $id: 'PaymentLink' },
);
export type PaymentLink = Static<typeof PaymentLink>;

/** Fields that both requests, create and update, accept. */
const title = Type.String({
  minLength: 1,
  maxLength: limits.linkTitleLength,
  pattern: patterns.oneLine,
  description: 'What is paid for, as the page says first of all; the description of each payment.',
});
const description = Text(limits.linkDescriptionLength, 'More about it, on the page only.');
const maxPayments = Type.Integer({
  minimum: 1,
  maximum: 1_000_000,
  description: 'How often it can be paid: 1 for an invoice. Absent: any number of times.',
});
const expiresAt = Type.String({
  pattern: patterns.utcTime,
  description: 'From then on nobody can pay, `2026-12-31T23:59:59Z`: a time in UTC that is not over.',
});

const address = (when: string) =>
  Type.Optional(
    Type.String({
      format: 'https-url',
      maxLength: limits.urlLength,
      description: `Where the buyer goes ${when}: an https:// URL without fragment. Absent: our own page says how it went.`,
    }),
  );

export const PaymentLinkCreate = Type.Object(
  {
    title,
    description: Type.Optional(description),
    currency: Currency,
    amount: Type.Optional(Amount),
    amount_range: Type.Optional(Ref(AmountRange)),
    max_payments: Type.Optional(maxPayments),
    expires_at: Type.Optional(expiresAt),
    reference_label: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: limits.linkLabelLength,
        pattern: patterns.oneLine,
        description:
          'Asks the buyer for something, such as an invoice number, and says what. It becomes the `reference` of the payment.',
      }),
    ),
    save_payment_method: Type.Optional(
      Type.Boolean({
        description:
          'Asks for an e-mail address and keeps the card or wallet under a customer that links made with it. Nothing is kept with a customer of your own, since anybody can enter any address.',
      }),
    ),
    success_url: address('after paying'),
    failure_url: address('otherwise'),
    metadata: Type.Optional(CustomerMetadata),
  },
  { $id: 'PaymentLinkCreate' },
);
export type PaymentLinkCreate = Static<typeof PaymentLinkCreate>;

/** Null clears a field. Absent fields keep their value. */
export const PaymentLinkUpdate = Type.Object(
  {
    title: Type.Optional(title),
    description: Type.Optional(Nullable(description, 'More about it, on the page only; null clears it.')),
    status: Type.Optional(Type.Enum(['active', 'inactive'], { description: 'Switches the link on or off.' })),
    expires_at: Type.Optional(
      Nullable(
        expiresAt,
        'From then on nobody can pay: a time in UTC that is not over; null: it does not end.',
      ),
    ),
    max_payments: Type.Optional(
      Nullable(maxPayments, 'How often it can be paid; null: any number of times.'),
    ),
  },
  { $id: 'PaymentLinkUpdate' },
);
export type PaymentLinkUpdate = Static<typeof PaymentLinkUpdate>;

export const PaymentLinkList = ListOf(PaymentLink, 'PaymentLinkList');

export const PaymentLinkListQuery = Type.Object({
  ...PageQuery,
  status: Type.Optional(PaymentLinkStatus),
});
export type PaymentLinkListQuery = Static<typeof PaymentLinkListQuery>;
