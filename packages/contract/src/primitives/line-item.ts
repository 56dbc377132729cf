import { type Static, Type } from 'typebox';
import { PartAmount, Text } from './common.ts';
import { patterns } from './patterns.ts';

export const Upc = Type.Object({
  type: Type.Optional(Text(20)),
  code: Type.String({ pattern: patterns.upc, description: '6 to 17 digits.' }),
});

/** One basket line (spec, "Line items"). `tax` is the tax on one unit. */
export const LineItem = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 255 }),
    unit_amount: PartAmount(),
    quantity: Type.Optional(Type.Integer({ minimum: 1, maximum: 999_999_999, default: 1 })),
    tax: Type.Optional(PartAmount('On one unit.')),
    sku: Type.Optional(Text(255)),
    description: Type.Optional(Text(2048)),
    url: Type.Optional(Text(2048)),
    image_url: Type.Optional(Text(2048)),
    upc: Type.Optional(Upc),
    category: Type.Optional(Type.Enum(['PHYSICAL_GOODS', 'DIGITAL_GOODS', 'DONATION'])),
    commodity_code: Type.Optional(Text(12)),
    unit_of_measure: Type.Optional(Text(12)),
  },
  { $id: 'LineItem' },
);
export type LineItem = Static<typeof LineItem>;
