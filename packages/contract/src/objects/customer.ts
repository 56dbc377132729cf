import { type Static, Type } from 'typebox';
import { Address } from '../primitives/address.ts';
import {
  ListOf,
  limits,
  Metadata,
  Nullable,
  PageQuery,
  PersonName,
  Ref,
  Text,
  UnixSeconds,
} from '../primitives/common.ts';

export const Customer = Type.Object(
  {
    id: Type.String({ pattern: '^cus_[a-z0-9]{24}$' }),
    object: Type.Literal('customer'),
    email: Type.String(),
    name: Nullable(Type.String()),
    phone: Nullable(Type.String()),
    locale: Nullable(Type.String()),
    external_id: Nullable(Type.String()),
    billing_address: Nullable(Ref(Address)),
    delivery_address: Nullable(Ref(Address)),
    date_of_birth: Nullable(Type.String()),
    metadata: Metadata,
    livemode: Type.Boolean(),
    created: UnixSeconds,
  },
  { $id: 'Customer' },
);
export type Customer = Static<typeof Customer>;

const metadataValue = Type.String({ maxLength: limits.customerMetadataValueLength });

/** `metadata` as requests take it. */
export const CustomerMetadata = Type.Record(Type.String(), metadataValue, {
  maxProperties: limits.customerMetadataKeys,
  // The pattern of a record's keys ends at a line break.
  additionalProperties: metadataValue,
  propertyNames: { maxLength: limits.customerMetadataKeyLength },
  description: 'Up to 20 keys of at most 40 characters; values of at most 500 characters.',
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
  external_id: Type.Optional(Type.String({ minLength: 1, maxLength: limits.textLength })),
  billing_address: Type.Optional(Ref(Address)),
  delivery_address: Type.Optional(Ref(Address)),
  date_of_birth: Type.Optional(
    Type.String({ format: 'date', description: 'A date `YYYY-MM-DD` that is not in the future.' }),
  ),
  metadata: Type.Optional(CustomerMetadata),
};

/** `format: email` means the rule of decisions, "Customers": one `@`, a dot in the domain, at most 254 characters. */
const Email = Type.String({
  format: 'email',
  description: 'Unique per account and mode, compared case-insensitively.',
});

export const CustomerCreate = Type.Object({ email: Email, ...optionalFields }, { $id: 'CustomerCreate' });
export type CustomerCreate = Static<typeof CustomerCreate>;

const clearable = {
  name: Type.Optional(Nullable(optionalFields.name)),
  phone: Type.Optional(Nullable(optionalFields.phone)),
  locale: Type.Optional(Nullable(optionalFields.locale)),
  external_id: Type.Optional(Nullable(optionalFields.external_id)),
  billing_address: Type.Optional(Nullable(optionalFields.billing_address)),
  delivery_address: Type.Optional(Nullable(optionalFields.delivery_address)),
  date_of_birth: Type.Optional(Nullable(optionalFields.date_of_birth)),
  metadata: Type.Optional(CustomerMetadata),
};

/** Null clears a field; what is not named stays as it is. */
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
