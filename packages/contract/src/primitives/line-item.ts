import { type Static, Type } from 'typebox';
import { PartAmount, Text } from './common.ts';
import { patterns } from './patterns.ts';

export const Upc = Type.Object(
  {
    type: Type.Optional(Text(20, 'Such as `UPC-A`, which is assumed for 12 digits.')),
    code: Type.String({ pattern: patterns.upc, description: '6 to 17 digits.' }),
  },
  { description: 'Universal Product Code of the item.' },
);

/** One line of the basket (spec, "Line items"). `tax` is the tax on one unit. */
export const LineItem = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 255, description: 'What the buyer reads.' }),
    unit_amount: PartAmount('Price of one unit, in minor units, without `tax`.'),
    quantity: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 999_999_999, default: 1, description: 'Number of units.' }),
    ),
    tax: Type.Optional(PartAmount('Tax on one unit, in minor units.')),
    sku: Type.Optional(Text(255, 'Your article number.')),
    description: Type.Optional(Text(2048, 'More about the item.')),
    url: Type.Optional(Text(2048, 'Page of the item in your shop.')),
    image_url: Type.Optional(Text(2048, 'Picture of the item.')),
    upc: Type.Optional(Upc),
    category: Type.Optional(
      Type.Enum(['PHYSICAL_GOODS', 'DIGITAL_GOODS', 'DONATION'], {
        description: 'What is sold; `PHYSICAL_GOODS` where it is left out.',
      }),
    ),
    commodity_code: Type.Optional(Text(12, 'Classification of the goods; level 3 data.')),
    unit_of_measure: Type.Optional(Text(12, 'What a unit is, such as `KGM`; level 3 data.')),
  },
  { $id: 'LineItem' },
);
export type LineItem = Static<typeof LineItem>;
