import { type Static, Type } from 'typebox';
import { ListOf, Nullable, PageQuery, Provider, UnixSeconds } from '../primitives/common.ts';
import { savedMethodTypes } from '../primitives/processors.ts';

const id = Type.String({ pattern: '^pm_[a-z0-9]{24}$' });

/** A saved card or wallet (decisions, "Shapes"). On wallets the card fields are null. */
export const PaymentMethod = Type.Object(
  {
    id,
    object: Type.Literal('payment_method'),
    type: Type.Enum(savedMethodTypes),
    customer: Type.String({ description: 'The `cus_` id of whom it belongs to.' }),
    brand: Nullable(Type.String()),
    last4: Nullable(Type.String()),
    bin: Nullable(Type.String()),
    exp_month: Nullable(Type.Integer()),
    exp_year: Nullable(Type.Integer()),
    recurring_processing_model: Type.Enum(['card_on_file', 'subscription', 'unscheduled_card_on_file']),
    provider: Provider,
    status: Type.Enum(['active', 'expired'], {
      description: '`expired`: its last month is over, or its issuer or the buyer revoked it.',
    }),
    livemode: Type.Boolean(),
    created: UnixSeconds,
  },
  { $id: 'PaymentMethod' },
);
export type PaymentMethod = Static<typeof PaymentMethod>;

export const PaymentMethodList = ListOf(PaymentMethod, 'PaymentMethodList');

export const PaymentMethodListQuery = Type.Object({ ...PageQuery });
export type PaymentMethodListQuery = Static<typeof PaymentMethodListQuery>;

export const DeletedPaymentMethod = Type.Object(
  { id, object: Type.Literal('payment_method'), deleted: Type.Literal(true) },
  { $id: 'DeletedPaymentMethod' },
);
export type DeletedPaymentMethod = Static<typeof DeletedPaymentMethod>;
