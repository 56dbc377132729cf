import { type Static, Type } from 'typebox';
import { Address } from '../primitives/address.ts';
import {
  IdOf,
  ListOf,
  LiveMode,
  limits,
  Metadata,
  Nullable,
  ObjectName,
  PageQuery,
  PersonName,
  Ref,
  Text,
  UnixSeconds,
} from '../primitives/common.ts';

export const Customer = Type.Object(
  {
    id: IdOf('cus'),
    object: ObjectName('customer'),
    email: Type.String({ description: 'As you sent it.' }),
    name: Nullable(Type.String(), 'Full name, for receipts.'),
    phone: Nullable(Type.String(), 'As you sent it.'),
    locale: Nullable(Type.String(), 'Language tag (BCP 47): the language of pages and mails.'),
    external_id: Nullable(Type.String(), 'Your own id of the customer.'),
    billing_address: Nullable(Ref(Address), 'Verifies cards, unless a payment sends its own.'),
    delivery_address: Nullable(Ref(Address), 'Where you deliver, unless a payment sends its own.'),
    date_of_birth: Nullable(Type.String(), '`YYYY-MM-DD`.'),
    metadata: Metadata,
    livemode: LiveMode,
    created: UnixSeconds,
  },
  { $id: 'Customer' },
);
export type Customer = Static<typeof Customer>;

const metadataValue = Type.String({ maxLength: limits.customerMetadataValueLength });

/** The limits of `metadata` in requests. */
const metadataLimits = {
  maxProperties: limits.customerMetadataKeys,
  // Applies to keys with a line break: the pattern that a record generates for its keys does not match them.
  additionalProperties: metadataValue,
  propertyNames: { maxLength: limits.customerMetadataKeyLength },
};
const metadataWords = 'Up to 20 keys of at most 40 characters; values of at most 500 characters.';

export const CustomerMetadata = Type.Record(Type.String(), metadataValue, {
  ...metadataLimits,
  description: metadataWords,
});

const optionalFields = {
  name: Type.Optional(PersonName({ description: 'Full name, for receipts.' })),
  phone: Type.Optional(Text(limits.textLength, 'E.164 recommended; not validated.')),
  locale: Type.Optional(
    Type.String({
      format: 'language-tag',
      maxLength: limits.textLength,
      description:
        'A language tag (BCP 47) such as `en`, `en-GB`, `es-419` or `zh-Hans-CN`. Pages use the nearest language that they have.',
    }),
  ),
  external_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: limits.textLength,
      description: 'Your own id of the customer, unique per account and mode.',
    }),
  ),
  billing_address: Type.Optional(Ref(Address)),
  delivery_address: Type.Optional(Ref(Address)),
  date_of_birth: Type.Optional(
    Type.String({ format: 'date', description: 'A date `YYYY-MM-DD` that is not in the future.' }),
  ),
  metadata: Type.Optional(CustomerMetadata),
};

/**
 * `format: email` is the rule of decisions, "Customers": one `@`, a dot in the domain, at most 254
 * characters.
 */
const Email = Type.String({
  format: 'email',
  description: 'Unique per account and mode, compared case-insensitively.',
});

export const CustomerCreate = Type.Object({ email: Email, ...optionalFields }, { $id: 'CustomerCreate' });
export type CustomerCreate = Static<typeof CustomerCreate>;

const clearable = {
  name: Type.Optional(Nullable(optionalFields.name, 'Full name, for receipts; null clears it.')),
  phone: Type.Optional(Nullable(optionalFields.phone, 'E.164 recommended; not validated. Null clears it.')),
  locale: Type.Optional(
    Nullable(optionalFields.locale, 'A language tag (BCP 47) such as `en` or `en-GB`; null clears it.'),
  ),
  external_id: Type.Optional(
    Nullable(
      optionalFields.external_id,
      'Your own id of the customer, unique per account and mode; null clears it.',
    ),
  ),
  billing_address: Type.Optional(
    Nullable(optionalFields.billing_address, 'Takes the place of the whole address; null clears it.'),
  ),
  delivery_address: Type.Optional(
    Nullable(optionalFields.delivery_address, 'Takes the place of the whole address; null clears it.'),
  ),
  date_of_birth: Type.Optional(
    Nullable(optionalFields.date_of_birth, 'A date `YYYY-MM-DD` that is not in the future; null clears it.'),
  ),
  metadata: Type.Optional(
    Type.Record(Type.String(), metadataValue, {
      ...metadataLimits,
      description: `Takes the place of the whole map, keys that are left out included; \`{}\` clears it. ${metadataWords}`,
    }),
  ),
};

/** Null clears a field. Absent fields keep their value. */
export const CustomerUpdate = Type.Object(
  { email: Type.Optional(Email), ...clearable },
  { $id: 'CustomerUpdate' },
);
export type CustomerUpdate = Static<typeof CustomerUpdate>;

export const CustomerList = ListOf(Customer, 'CustomerList');

export const CustomerListQuery = Type.Object({
  ...PageQuery,
  email: Type.Optional(Type.String({ description: 'Exact match, case-insensitive.' })),
});
export type CustomerListQuery = Static<typeof CustomerListQuery>;
