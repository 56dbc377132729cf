import type { Address } from '@till/contract';
import { describe, expect, it } from 'vitest';
import { addressCountry, upstreamAddress } from './address.ts';

const berlin: Address = {
  line1: 'Torstraße',
  line2: '12',
  city: 'Berlin',
  postal_code: '10119',
  country: 'DE',
};
const austin: Address = {
  line1: '1 Main St',
  line2: 'Apt 4',
  city: 'Austin',
  postal_code: '78701',
  state: 'TX',
  country: 'US',
};
const without = (address: Address, part: keyof Address): Address => {
  const { [part]: _, ...rest } = address;
  return rest;
};

describe('upstreamAddress', () => {
  it('takes the house number from line2', () => {
    expect(upstreamAddress(berlin)).toEqual({
      street: 'Torstraße',
      houseNumberOrName: '12',
      city: 'Berlin',
      postalCode: '10119',
      country: 'DE',
    });
  });

  it.each([
    ['a country', without(berlin, 'country')],
    ['a two-letter country', { ...berlin, country: 'DEU' }],
    ['a street', without(berlin, 'line1')],
    ['more than blanks as street', { ...berlin, line1: '  ' }],
    ['a city', without(berlin, 'city')],
    ['a postal code', without(berlin, 'postal_code')],
    ['a postal code of at most ten characters', { ...berlin, postal_code: '12345678901' }],
    ['a state in the US', without(austin, 'state')],
    ['a state in Canada', { ...without(austin, 'state'), country: 'CA', postal_code: 'K1A 0B1' }],
    ['a two-letter state in the US', { ...austin, state: 'Texas' }],
    ['a ZIP code in the US', { ...austin, postal_code: 'SW1A 1AA' }],
    ['an address', null],
  ])('undefined without %s', (_, address) => {
    expect(upstreamAddress(address)).toBeUndefined();
  });

  it.each([
    ['US', austin],
    ['DE', berlin],
  ])('puts a placeholder for a missing house number (%s)', (_, address) => {
    expect(upstreamAddress(without(address, 'line2'))).toMatchObject({ houseNumberOrName: 'NA' });
  });

  it.each([
    ['78701-1234', '78701'],
    ['787011234', '78701'],
    ['78701', '78701'],
  ])('shortens ZIP+4: %s → %s', (postal_code, expected) => {
    expect(upstreamAddress({ ...austin, postal_code })).toMatchObject({ postalCode: expected });
  });

  it.each([
    [{ ...austin, state: 'US-TX' }, 'TX'],
    [{ ...austin, state: 'tx' }, 'TX'],
    [{ ...berlin, state: 'BE' }, 'BE'],
    [{ ...berlin, country: 'AU', state: 'NSW' }, 'NSW'],
    [{ ...berlin, state: 'Land Berlin' }, undefined],
  ])('sends the state as a subdivision code: %j', (address, expected) => {
    expect(upstreamAddress(address)?.stateOrProvince).toBe(expected);
  });
});

describe('addressCountry', () => {
  it.each([
    [berlin, 'DE'],
    [{ country: 'de' }, undefined],
    [{}, undefined],
    [null, undefined],
  ])('%j → %j', (address, expected) => {
    expect(addressCountry(address)).toBe(expected);
  });
});
