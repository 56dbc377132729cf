import { type Static, Type } from 'typebox';
import { Amount, Currency, limits, PartAmount, PersonName, Ref, Text } from '../primitives/common.ts';
import { LineItem } from '../primitives/line-item.ts';
import { patterns } from '../primitives/patterns.ts';
import { methodTypes, providers, walletProvider, walletType } from '../primitives/processors.ts';
import { CustomerCreate } from './customer.ts';
import { BrowserInfo } from './payment.ts';
import { sentFields } from './repeated-fields.ts';

/**
 * Card details are validated further in code, since the required ones depend on `type` (spec, "Payment create
 * request fields").
 */
export const PaymentMethodInput = Type.Object({
  type: Type.Enum(methodTypes, {
    description: `\`card\`: typed by the buyer on your side. \`card_fields\`: typed on the hosted page. \`${walletType}\`: the wallet. The last two are of ${walletProvider} and take no card details.`,
  }),
  number: Type.Optional(
    Type.String({
      pattern: patterns.cardNumber,
      maxLength: limits.textLength,
      description: '12 to 19 digits; spaces and hyphens do not count. It may stand in no other field.',
      writeOnly: true,
    }),
  ),
  exp_month: Type.Optional(Type.Integer({ minimum: 1, maximum: 12, description: '1 to 12.' })),
  exp_year: Type.Optional(
    Type.Integer({ minimum: 1000, maximum: 9999, description: 'Four digits; the month must not be over.' }),
  ),
  cvc: Type.Optional(Type.String({ pattern: patterns.cvc, description: '3 or 4 digits.', writeOnly: true })),
  holder_name: Type.Optional(
    PersonName({
      minLength: 1,
      description: 'Required on every card payment; not only white space, and no digits of a card.',
    }),
  ),
});
export type PaymentMethodInput = Static<typeof PaymentMethodInput>;

/** `format: https-url`: an absolute https URL without fragment or credentials. */
const returnUrl = (when: string) =>
  Type.Optional(
    Type.String({
      format: 'https-url',
      maxLength: limits.urlLength,
      description: `Where the buyer returns ${when}: an https:// URL without fragment.`,
    }),
  );

const stcValue = Type.Union([
  Type.String({ maxLength: 2000 }),
  // JSON parsing would change a larger number. It can be sent as a string.
  Type.Number({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
  Type.Boolean(),
]);

/** The order: level 2 and 3 data, and the texts that the buyer reads in the wallet. */
const order = {
  line_items: Type.Optional(
    Type.Array(Ref(LineItem), {
      maxItems: limits.lineItems,
      description:
        'Must add up to `amount` less `tax_amount`, `shipping_amount` and `handling_amount`, plus `discount_amount`.',
    }),
  ),
  tax_amount: Type.Optional(PartAmount('Tax, included in `amount` and never more.')),
  shipping_amount: Type.Optional(PartAmount('Included in `amount`.')),
  handling_amount: Type.Optional(PartAmount('Included in `amount`.')),
  discount_amount: Type.Optional(PartAmount('Already taken off `amount`.')),
  duty_amount: Type.Optional(PartAmount('Included in `amount`; level 3 data only.')),
  invoice_id: Type.Optional(Text(127, 'Your invoice number; level 2 data.')),
  description: Type.Optional(Text(3000, 'Names the one line where no `line_items` are sent.')),
  ships_from_postal_code: Type.Optional(Text(60, 'Level 3 data only.')),
};

/** Fields to save a payment method, and to charge a saved one. */
const saving = {
  save_payment_method: Type.Optional(
    Type.Boolean({
      description:
        "Whether to keep the card or wallet for later. Where it is left out the account's setting decides, and nothing is kept without a customer.",
    }),
  ),
  stored_payment_method: Type.Optional(
    Text(255, 'A `pm_` id of the same customer, in place of `payment_method`.'),
  ),
  use_last_payment_method: Type.Optional(
    Type.Boolean({ description: "Charges the customer's newest active saved card." }),
  ),
  merchant_initiated: Type.Optional(
    Type.Boolean({
      description: 'The buyer is not there: no challenge and no approval. Saved methods only.',
    }),
  ),
  recurring_processing_model: Type.Optional(
    Type.Enum(['card_on_file', 'subscription', 'unscheduled_card_on_file'], {
      description: 'What the method is kept for; a later charge takes it over.',
    }),
  ),
};

/** Data for the processor's risk checks. */
const risk = {
  stc: Type.Optional(
    Type.Record(Type.String({ pattern: '^[a-z][a-z0-9_]*$' }), stcValue, {
      maxProperties: 100,
      additionalProperties: false,
      description: `${walletProvider} only: flat object of at most 100 snake_case keys with scalar values. On ${providers[0]} it has no effect, which the header \`Service-Ignored-Fields\` of the answer says.`,
    }),
  ),
  shopper_ip: Type.Optional(
    Type.String({
      format: 'ip',
      description:
        "The buyer's IPv4 or IPv6 address, for the processor's risk checks. The address that calls this API is never taken for it.",
    }),
  ),
  device_fingerprint: Type.Optional(Text(5000, "What your page's risk script calls the buyer's device.")),
  browser_info: Type.Optional(Ref(BrowserInfo)),
};

export const PaymentCreate = Type.Object(
  {
    amount: Amount,
    currency: Currency,
    customer: Type.Optional(
      Type.Union([Type.String({ maxLength: 255, description: 'A `cus_` id.' }), Ref(CustomerCreate)], {
        description: 'A `cus_` id or an object with the fields of a new customer.',
      }),
    ),
    billing_address: Type.Optional(
      Type.Unsafe<unknown>({
        $ref: 'Address',
        description: "Overrides the customer's for this payment; a malformed one is ignored.",
      }),
    ),
    delivery_address: Type.Optional(
      Type.Unsafe<unknown>({
        $ref: 'Address',
        description: "Overrides the customer's for this payment; a malformed one is ignored.",
      }),
    ),
    ...sentFields,
    capture_method: Type.Optional(
      Type.Enum(['automatic', 'manual'], {
        description: `\`manual\` holds the money for you to capture or void; ${walletProvider} only.`,
      }),
    ),
    payment_method: Type.Optional(PaymentMethodInput),
    ...order,
    ...saving,
    ...risk,
    success_url: returnUrl('after paying'),
    failure_url: returnUrl('otherwise'),
    authentication: Type.Optional(
      Type.Enum(['automatic', 'always', 'never'], {
        description:
          '3-D Secure of this payment: `automatic` asks for it, `always` for a challenge, `never` skips it unless the connection says always.',
      }),
    ),
    provider: Type.Optional(
      Type.Enum(providers, {
        description: "A check: any other than the account's processor is `provider_not_configured`.",
      }),
    ),
  },
  { $id: 'PaymentCreate' },
);
export type PaymentCreate = Static<typeof PaymentCreate>;

/** A hold is captured as a whole. An amount may be sent as confirmation and must be the payment's. */
export const PaymentCapture = Type.Object(
  {
    amount: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: limits.amountMax,
        description:
          "May be left out. If it is sent it must be the payment's whole amount: there is no partial capture.",
      }),
    ),
  },
  { $id: 'PaymentCapture' },
);
export type PaymentCapture = Static<typeof PaymentCapture>;
