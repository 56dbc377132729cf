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
  Text,
  UnixSeconds,
} from '../primitives/common.ts';
import { walletProvider } from '../primitives/processors.ts';

export const refundReasons = ['duplicate', 'fraudulent', 'requested_by_customer', 'other'] as const;
export type RefundReason = (typeof refundReasons)[number];

export const RefundStatus = Type.Enum(['pending', 'succeeded', 'failed'], {
  description:
    '`pending`: the processor has not settled it yet. A `succeeded` one becomes `failed` where the scheme takes it back.',
});
export type RefundStatus = Static<typeof RefundStatus>;

/** A refund of a payment (spec, "Refund"). */
export const Refund = Type.Object(
  {
    id: IdOf('re'),
    object: ObjectName('refund'),
    payment: Type.String({ description: 'The `pay_` id.' }),
    amount: Amount,
    currency: Currency,
    status: RefundStatus,
    reason: Nullable(Type.Enum([...refundReasons]), 'As you sent it.'),
    note: Nullable(Type.String(), 'As you sent it.'),
    failure: Nullable(
      Type.Object({
        code: Type.String({ description: 'Stable; in lower case. New codes may be added.' }),
        message: Type.String({ description: 'For people; may change.' }),
      }),
      'Why it has failed, where `status` is `failed`.',
    ),
    metadata: Metadata,
    livemode: LiveMode,
    created: UnixSeconds,
  },
  { $id: 'Refund' },
);
export type Refund = Static<typeof Refund>;

/** All fields are optional. Without an amount, everything that is left of the payment is refunded. */
export const RefundCreate = Type.Object(
  {
    amount: Type.Optional(
      Type.Integer({ ...Amount, description: 'In minor units. Left out: all that is left of the payment.' }),
    ),
    reason: Type.Optional(Type.Enum([...refundReasons], { description: 'Why, for your own records.' })),
    note: Type.Optional(
      Text(
        limits.refundNoteLength,
        `For the buyer too: ${walletProvider} shows them the first 255 characters.`,
      ),
    ),
    metadata: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        maxProperties: limits.refundMetadataKeys,
        // Applies to keys with a line break: the pattern that a record generates for its keys does not match
        // them.
        additionalProperties: Type.String(),
        description: `At most ${limits.refundMetadataKeys} keys, each at most ${limits.refundMetadataKeyBytes} and its value at most ${limits.refundMetadataValueBytes} bytes in UTF-8.`,
      }),
    ),
  },
  { $id: 'RefundCreate' },
);
export type RefundCreate = Static<typeof RefundCreate>;

export const RefundList = ListOf(Refund, 'RefundList');

export const RefundListQuery = Type.Object({ ...PageQuery });
export type RefundListQuery = Static<typeof RefundListQuery>;

/** The processor's decision about a pending refund (test helper). */
export const RefundSettle = Type.Object(
  { outcome: Type.Enum(['succeeded', 'failed'], { description: 'What the processor says of the refund.' }) },
  { $id: 'RefundSettle' },
);
export type RefundSettle = Static<typeof RefundSettle>;
