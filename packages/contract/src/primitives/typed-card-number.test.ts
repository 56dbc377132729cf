import { expect, it } from 'vitest';
import { withoutCardNumber } from './typed-card-number.ts';

it.each(['4111111111111111', '4111 1111 1111 1111', '3714-496353-98431', '213100000000001'])(
  'keeps four digits of %s',
  (typed) => {
    expect(withoutCardNumber(typed)).toEqual({ text: typed.replaceAll(/\D/g, '').slice(-4), cut: true });
  },
);

it.each(['4111111111111112', '411111111111', 'order-4111111111111111', '1111', '', '821189210438451'])(
  'leaves %j alone',
  (typed) => {
    expect(withoutCardNumber(typed)).toEqual({ text: typed, cut: false });
  },
);
