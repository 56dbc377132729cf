import { type Static, Type } from 'typebox';
import { Text } from './common.ts';
import { patterns } from './patterns.ts';

const line = Type.Optional(Text(255));

/** Postal address; every field is optional (spec, "Customer"). */
export const Address = Type.Object(
  {
    line1: line,
    line2: line,
    city: line,
    postal_code: line,
    state: Type.Optional(Text(255, 'Postal abbreviation (ISO 3166-2 subdivision code).')),
    country: Type.Optional(
      Type.String({ pattern: patterns.country, description: 'ISO 3166-1 alpha-2 code in uppercase.' }),
    ),
  },
  { $id: 'Address' },
);
export type Address = Static<typeof Address>;
