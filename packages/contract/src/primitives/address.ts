import { type Static, Type } from 'typebox';
import { Text } from './common.ts';
import { patterns } from './patterns.ts';

const line = (description: string) => Type.Optional(Text(255, description));

/** Postal address. All fields are optional (spec, "Customer"). */
export const Address = Type.Object(
  {
    line1: line('Street, with the house number where `line2` does not hold it.'),
    line2: line('House number, or what else the address needs; sent on as the house number.'),
    city: line('City or town.'),
    postal_code: line('Postal or ZIP code.'),
    state: Type.Optional(Text(255, 'Postal abbreviation (ISO 3166-2 subdivision code).')),
    country: Type.Optional(
      Type.String({ pattern: patterns.country, description: 'ISO 3166-1 alpha-2 code in uppercase.' }),
    ),
  },
  { $id: 'Address', description: 'Postal address. Every field is optional.' },
);
export type Address = Static<typeof Address>;
