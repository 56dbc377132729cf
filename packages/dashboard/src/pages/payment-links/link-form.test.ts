import { expect, it } from 'vitest';
import { emptyLink, linkBody, linkFaults } from './link-form.ts';

const filled = (currency: string, amount: string) => ({ ...emptyLink(currency), title: 'Course', amount });

it.each([
  ['EUR', '49.905', 'Enter an amount in EUR, such as 49.90.'],
  ['JPY', '49.90', 'Enter an amount in JPY, such as 4990.'],
  ['KWD', '0', 'Enter an amount in KWD, such as 4.990.'],
])('an amount in %s that is none, %s, is refused with one that would do', (currency, amount, message) => {
  expect(linkFaults(filled(currency, amount))).toEqual({ amount: message });
});

it.each([
  ['EUR', '49,90', 4990],
  ['JPY', '4990', 4990],
  ['KWD', '4.99', 4990],
])('an amount in %s, %s, is sent in minor units', (currency, amount, minor) => {
  const form = filled(currency, amount);
  expect(linkFaults(form)).toEqual({});
  expect(linkBody(form)).toEqual({ title: 'Course', currency, amount: minor });
});
