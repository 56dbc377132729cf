import { describe, expect, it } from 'vitest';
import { cardAddress, upstreamAddress } from './address.ts';

const austin = { line1: '1 Main St', city: 'Austin', postal_code: '78701-1234', state: 'TX', country: 'US' };

describe('upstreamAddress', () => {
  it('maps every field to its upstream name', () => {
    expect(upstreamAddress({ ...austin, line2: ' Apt 4 ' })).toEqual({
      address_line_1: '1 Main St',
      address_line_2: 'Apt 4',
      admin_area_2: 'Austin',
      admin_area_1: 'TX',
      postal_code: '78701-1234',
      country_code: 'US',
    });
  });

  it('truncates a long city', () => {
    expect(upstreamAddress({ ...austin, city: 'x'.repeat(200) })?.admin_area_2).toHaveLength(120);
  });

  it.each([
    ['nothing', null],
    ['no street', { ...austin, line1: ' ' }],
    ['no city', { ...austin, city: '' }],
    ['no postal code', { ...austin, postal_code: '' }],
    ['a postal code that is too long', { ...austin, postal_code: 'x'.repeat(61) }],
    ['no state where one is needed', { ...austin, state: '' }],
    ['no country', { line1: 'a', city: 'b', postal_code: 'c' }],
    ['a country by name', { ...austin, country: 'Germany' }],
  ])('undefined for %s', (_, address) => {
    expect(upstreamAddress(address)).toBeUndefined();
  });

  it('needs no state in other countries', () => {
    expect(upstreamAddress({ ...austin, state: '', country: 'DE' })).toMatchObject({ country_code: 'DE' });
  });
});

describe('cardAddress', () => {
  it('uses the country code of Chinese cards', () => {
    expect(cardAddress({ ...austin, country: 'CN' })).toMatchObject({ country_code: 'C2' });
    expect(upstreamAddress({ ...austin, country: 'CN' })).toMatchObject({ country_code: 'CN' });
    expect(cardAddress({ ...austin, country: 'GB' })).toMatchObject({ country_code: 'GB' });
  });
});
