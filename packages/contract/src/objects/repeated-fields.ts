import { Type } from 'typebox';
import { limits, Nullable, Text } from '../primitives/common.ts';

/*
 * Fields of a payment that the merchant sends and every response repeats. Each field is in all three lists:
 * the compiler reports a list that lacks it.
 */

/** The fields in requests. */
export const sentFields = {
  reference: Type.Optional(Text(limits.referenceLength, 'Your own name of the order; shown again.')),
  shopper_statement: Type.Optional(
    Text(1000, "What the buyer's card statement shows; cut to what the scheme takes."),
  ),
  renews_payment: Type.Optional(
    Text(255, 'The `pay_` id of an earlier payment of the same customer that this one renews.'),
  ),
};
type Field = keyof typeof sentFields;

/** The fields in responses. */
export const shownFields = {
  reference: Nullable(Type.String(), 'As you sent it.'),
  shopper_statement: Nullable(Type.String(), 'As you sent it; the card scheme may show less.'),
  renews_payment: Nullable(Type.String(), 'The `pay_` id that the request named.'),
} satisfies Record<Field, unknown>;

/** The fields in the documentation's example. */
export const exampleOfFields = {
  reference: 'order-1001',
  shopper_statement: null,
  renews_payment: null,
} satisfies Record<Field, unknown>;
