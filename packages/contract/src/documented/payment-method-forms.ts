import { Type } from 'typebox';
import { PaymentMethodInput } from '../objects/payment-create.ts';
import { ObjectName } from '../primitives/common.ts';
import { walletProvider, walletType } from '../primitives/processors.ts';

const { number, exp_month, exp_year, cvc, holder_name } = PaymentMethodInput.properties;

/**
 * The three forms of `payment_method` in OpenAPI. Which fields are required depends on `type`. Requests are
 * validated against `PaymentMethodInput` and in code, since the errors differ: 400 for a missing card field,
 * 422 for a missing holder name.
 */
export const paymentMethodForms = {
  CardInput: Type.Object(
    { type: ObjectName('card'), number, exp_month, exp_year, cvc, holder_name },
    {
      required: ['type', 'number', 'exp_month', 'exp_year', 'cvc', 'holder_name'],
      description: 'A card that the buyer typed on your side.',
    },
  ),
  CardFieldsInput: Type.Object(
    { type: ObjectName('card_fields') },
    {
      description: `A card that the buyer types on the hosted page; ${walletProvider}. Takes no card details.`,
    },
  ),
  WalletInput: Type.Object(
    { type: ObjectName(walletType) },
    { description: `The wallet of ${walletProvider}. Takes no card details.` },
  ),
} as const;
