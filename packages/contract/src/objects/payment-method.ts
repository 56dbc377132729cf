import { type Static, Type } from 'typebox';
import {
  IdOf,
  ListOf,
  LiveMode,
  Nullable,
  ObjectName,
  PageQuery,
  Provider,
  UnixSeconds,
} from '../primitives/common.ts';
import { savedMethodTypes, walletType } from '../primitives/processors.ts';

const id = IdOf('pm');

/** A saved card or wallet (decisions, "Shapes"). The card fields of a wallet are null. */
export const PaymentMethod = Type.Object(
  {
    id,
    object: ObjectName('payment_method'),
    type: Type.Enum(savedMethodTypes, { description: `A card, or the wallet (\`${walletType}\`).` }),
    customer: Type.String({ description: 'The `cus_` id of whom it belongs to.' }),
    brand: Nullable(Type.String(), 'In lower case, such as `visa`; null for a wallet, as the next four.'),
    last4: Nullable(Type.String(), 'Last four digits of the card.'),
    bin: Nullable(Type.String(), 'First six digits of the card.'),
    exp_month: Nullable(Type.Integer(), '1 to 12.'),
    exp_year: Nullable(Type.Integer(), 'Four digits.'),
    recurring_processing_model: Type.Enum(['card_on_file', 'subscription', 'unscheduled_card_on_file'], {
      description: 'What it is kept for, as its latest save said; charges take it over.',
    }),
    provider: Provider,
    status: Type.Enum(['active', 'expired'], {
      description: '`expired`: its last month is over, or its issuer or the buyer revoked it.',
    }),
    livemode: LiveMode,
    created: UnixSeconds,
  },
  { $id: 'PaymentMethod' },
);
export type PaymentMethod = Static<typeof PaymentMethod>;

export const PaymentMethodList = ListOf(PaymentMethod, 'PaymentMethodList');

export const PaymentMethodListQuery = Type.Object({ ...PageQuery });
export type PaymentMethodListQuery = Static<typeof PaymentMethodListQuery>;

export const DeletedPaymentMethod = Type.Object(
  { id, object: ObjectName('payment_method'), deleted: Type.Literal(true, { description: 'Always true.' }) },
  { $id: 'DeletedPaymentMethod' },
);
export type DeletedPaymentMethod = Static<typeof DeletedPaymentMethod>;
