import { type Static, type TSchema, Type } from 'typebox';
import { patterns } from './patterns.ts';
import { providers } from './processors.ts';

/** `T` or JSON null. */
export const Nullable = <S extends TSchema>(schema: S, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description });

/** A reference to a named schema that keeps its TypeScript type. OpenAPI shows it by name. */
export const Ref = <S extends TSchema>(schema: S) =>
  Type.Unsafe<Static<S>>(Type.Ref((schema as unknown as { $id: string }).$id));

/** Limits from the specification's "Limits" table and from `decisions`. */
export const limits = {
  bodyBytes: 256 * 1024,
  idempotencyKeyLength: 255,
  idempotencyHours: 24,
  referenceLength: 80,
  textLength: 255,
  emailLength: 254,
  urlLength: 2048,
  amountMax: 999_999_999_999,
  lineItems: 100,
  pageSizeDefault: 20,
  pageSizeMax: 100,
  customerMetadataKeys: 20,
  customerMetadataKeyLength: 40,
  customerMetadataValueLength: 500,
  linkTitleLength: 120,
  linkDescriptionLength: 1000,
  linkLabelLength: 60,
  confirmationMinutes: 15,
  refundNoteLength: 500,
  refundMetadataKeys: 50,
  refundMetadataKeyBytes: 100,
  refundMetadataValueBytes: 500,
} as const;

export const Amount = Type.Integer({
  minimum: 1,
  maximum: limits.amountMax,
  description: "Integer in the currency's minor units.",
});

/** An amount that is a part of another one and may be zero. */
export const PartAmount = (description?: string) =>
  Type.Integer({
    minimum: 0,
    maximum: limits.amountMax,
    ...(description === undefined ? {} : { description }),
  });

export const Currency = Type.String({
  pattern: patterns.currency,
  description: 'Active ISO 4217 code in uppercase.',
});

/** The id of an object, by its prefix. */
export const IdOf = (prefix: string) =>
  Type.String({
    pattern: `^${prefix}_[a-z0-9]{24}$`,
    description: `\`${prefix}_\` and 24 lowercase letters and digits.`,
  });

/** The type of the object in a response. */
export const ObjectName = <Name extends string>(name: Name) =>
  Type.Literal(name, { description: `Always \`${name}\`.` });

export const LiveMode = Type.Boolean({ description: 'True with a live key, false in the sandbox.' });

export const UnixSeconds = Type.Integer({ description: 'Unix seconds.' });

/**
 * A time to filter a list by. Times after the year 5138 are rejected, since the database could not compare
 * with them.
 */
export const UnixSecondsFilter = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: 99_999_999_999, description }));

export const Text = (maxLength: number, description?: string) =>
  Type.String({ maxLength, ...(description === undefined ? {} : { description }) });

/**
 * A person's name. `format: person-name` rejects names that contain a card number (decisions, "Limits and
 * refusals").
 */
export const PersonName = (options: { readonly minLength?: number; readonly description?: string } = {}) =>
  Type.String({ ...options, maxLength: limits.textLength, format: 'person-name' });

export const Metadata = Type.Record(Type.String(), Type.String(), {
  // Applies to keys with a line break: the pattern that a record generates for its keys does not match them.
  additionalProperties: Type.String(),
  description: 'String-to-string map for your own use.',
});

/** The envelope of every list: newest first, with numbered pages. */
export const ListOf = <S extends TSchema>(item: S, id: string) =>
  Type.Object(
    {
      object: ObjectName('list'),
      data: Type.Array(Ref(item), { description: 'The objects of this page.' }),
      has_more: Type.Boolean({ description: 'Whether there is a next page.' }),
      total_count: Type.Integer({ description: 'How many objects the whole list has.' }),
    },
    { $id: id },
  );

/**
 * The page parameters of a list. They are validated as the strings of the query and then converted to
 * integers.
 */
export const PageQuery = {
  page: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1, description: 'Page, from 1.' }),
  ),
  per_page: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: limits.pageSizeMax,
      default: limits.pageSizeDefault,
      description: 'Objects on a page.',
    }),
  ),
};

/** A processor that an account can be connected to. */
export const Provider = Type.Enum(providers, { description: "The account's processor." });
export type Provider = Static<typeof Provider>;
