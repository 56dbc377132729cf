import { type Static, Type } from 'typebox';
import {
  Currency,
  IdOf,
  ListOf,
  LiveMode,
  Nullable,
  ObjectName,
  PageQuery,
  Provider,
  UnixSeconds,
} from '../primitives/common.ts';

/** A payout by the processor to the merchant's bank account, according to its settlement report. */
export const Payout = Type.Object(
  {
    id: IdOf('po'),
    object: ObjectName('payout'),
    provider: Provider,
    currency: Currency,
    gross: Type.Integer({
      description: 'Payments less refunds and chargebacks. In minor units, like the next two.',
    }),
    fees: Type.Integer({ description: 'What the processor kept.' }),
    net: Type.Integer({
      description: '`gross` less `fees`: what was paid out. Below zero where the processor is owed.',
    }),
    arrival_date: Type.String({ format: 'date', description: 'Day of the payout in the report.' }),
    lines_count: Type.Integer({ description: 'How many lines it has.' }),
    unmatched_count: Type.Integer({
      description:
        'Lines of payments, refunds and chargebacks that do not match what is on record, and lines of any type that another report has too.',
    }),
    livemode: LiveMode,
    created: UnixSeconds,
  },
  { $id: 'Payout' },
);
export type Payout = Static<typeof Payout>;

export const payoutLineTypes = [
  'payment',
  'refund',
  'chargeback',
  'chargeback_reversed',
  'fee',
  'adjustment',
] as const;
export type PayoutLineType = (typeof payoutLineTypes)[number];

/**
 * One movement of a payout. Amounts are in minor units of the payout's currency, and negative for outgoing
 * money.
 */
export const PayoutLine = Type.Object(
  {
    id: IdOf('pol'),
    object: ObjectName('payout_line'),
    payout: Type.String({ description: 'The `po_` id.' }),
    type: Type.Enum([...payoutLineTypes], { description: 'What moved the money.' }),
    payment: Nullable(Type.String(), '`pay_` id; null where no payment of yours is meant, or none fits.'),
    refund: Nullable(Type.String(), '`re_` id.'),
    dispute: Nullable(Type.String(), '`dsp_` id.'),
    gross: Type.Integer({
      description: 'In minor units, like the next two; below zero where money went out.',
    }),
    fee: Type.Integer({ description: 'What the processor kept of it.' }),
    net: Type.Integer({ description: '`gross` less `fee`.' }),
    currency: Currency,
    upstream_reference: Type.String({ description: "The processor's own reference." }),
  },
  { $id: 'PayoutLine' },
);
export type PayoutLine = Static<typeof PayoutLine>;

export const PayoutList = ListOf(Payout, 'PayoutList');
export const PayoutLineList = ListOf(PayoutLine, 'PayoutLineList');

export const PayoutListQuery = Type.Object({ ...PageQuery });
export type PayoutListQuery = Static<typeof PayoutListQuery>;
