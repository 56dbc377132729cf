import { type Static, Type } from 'typebox';
import { limits, Nullable, ObjectName, Text, UnixSeconds } from '../primitives/common.ts';
import { patterns } from '../primitives/patterns.ts';
import { walletProvider } from '../primitives/processors.ts';

export const ClientTokenCreate = Type.Object(
  {
    customer: Type.Optional(Text(limits.textLength, 'A `cus_` id: offers what this customer has saved.')),
    domains: Type.Optional(
      Type.Array(
        Type.String({
          pattern: patterns.site,
          maxLength: limits.textLength,
          description: 'A host name or https origin, such as `shop.example` or `https://shop.example`.',
        }),
        { maxItems: 10, description: 'Sites that may use the token; any where none is named.' },
      ),
    ),
  },
  { $id: 'ClientTokenCreate' },
);
export type ClientTokenCreate = Static<typeof ClientTokenCreate>;

/** A short-lived token for the wallet's browser SDK (decisions, "Shapes"). */
export const ClientToken = Type.Object(
  {
    object: ObjectName('client_token'),
    client_token: Type.String({ description: "What the processor's script takes, in the buyer's browser." }),
    client_id: Type.String({ description: "The processor's public id of the account, for its script." }),
    provider: Type.Literal(walletProvider, { description: 'Whose script takes the token.' }),
    customer: Nullable(Type.String(), 'The `cus_` id that the request named.'),
    created: UnixSeconds,
    expires_at: Type.String({ format: 'date-time', description: '15 minutes after it was made.' }),
  },
  { $id: 'ClientToken' },
);
export type ClientToken = Static<typeof ClientToken>;
