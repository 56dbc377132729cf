import type { Address } from '@till/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resolveAddresses } from './address.ts';

const berlin: Address = {
  line1: 'Unter den Linden',
  line2: '1',
  city: 'Berlin',
  postal_code: '10117',
  country: 'DE',
};
const paris: Address = { line1: 'Rue de Rivoli', city: 'Paris', country: 'FR' };
const austin: Address = {
  line1: 'Congress Ave',
  city: 'Austin',
  postal_code: '78701',
  state: 'TX',
  country: 'US',
};
const { state: _, ...stateless } = austin;

/** The billing address that is picked. The same rules apply to the delivery address. */
function billing(sent: unknown, stored: Address | null = null): Address | null {
  return resolveAddresses({ billing_address: sent }, { billing_address: stored, delivery_address: null })
    .billing;
}

describe('resolveAddresses', () => {
  it("uses the customer's addresses where the payment sends none", () => {
    const customer = { billing_address: berlin, delivery_address: paris };
    expect(resolveAddresses({}, customer)).toEqual({ billing: berlin, delivery: paris });
    expect(resolveAddresses({ billing_address: null }, customer).billing).toEqual(berlin);
  });

  it("lets each of the payment's addresses override the customer's on its own", () => {
    const customer = { billing_address: berlin, delivery_address: berlin };
    expect(resolveAddresses({ delivery_address: paris }, customer)).toEqual({
      billing: berlin,
      delivery: paris,
    });
    expect(resolveAddresses({ billing_address: austin }, customer)).toEqual({
      billing: austin,
      delivery: berlin,
    });
  });

  it('does not mix the fields of two addresses', () => {
    expect(billing({ country: 'FR' }, berlin)).toEqual({ country: 'FR' });
  });

  it('undefined without a customer and addresses', () => {
    expect(resolveAddresses({}, null)).toEqual({ billing: null, delivery: null });
    expect(billing(undefined, null)).toBeNull();
  });

  it.each<[string, unknown]>([
    ['text', 'Unter den Linden 1'],
    ['a number', 7],
    ['a list', [berlin]],
    ['an empty object', {}],
    ['a field of another type', { ...berlin, line1: 5 }],
    ['a field that is an object', { ...berlin, city: {} }],
    ['an unknown country', { ...berlin, country: 'XX' }],
    ['a country in lowercase', { ...berlin, country: 'de' }],
    ['a three-letter country', { ...berlin, country: 'DEU' }],
    ['no country', { line1: 'Unter den Linden', city: 'Berlin' }],
    ['a null country', { ...berlin, country: null }],
    ['an over-long field', { ...berlin, line2: 'x'.repeat(256) }],
    ['a NUL character', { ...berlin, city: 'Ber\0lin' }],
  ])("falls back to the customer's address for %s", (_case, sent) => {
    expect(billing(sent, paris)).toEqual(paris);
    expect(billing(sent, null)).toBeNull();
  });

  it('counts characters, not code units', () => {
    expect(billing({ ...berlin, city: '🙂'.repeat(255) })).not.toBeNull();
    expect(billing({ ...berlin, city: '🙂'.repeat(256) })).toBeNull();
  });

  it('leaves out unknown, null and blank fields', () => {
    const sent = { ...berlin, line2: null, state: ' ', extra: 1, toString: 'x' };
    const { line2: _line2, ...expected } = berlin;
    expect(billing(sent)).toStrictEqual(expected);
  });

  it.each(['US', 'CA'])('withholds an address in %s without a state', (country) => {
    const address = { ...stateless, country };
    expect(billing(undefined, address)).toBeNull();
    expect(billing(address, berlin)).toBeNull();
    expect(billing({ ...address, state: '' }, berlin)).toBeNull();
    expect(billing({ ...address, state: 'TX' }, berlin)).toEqual({ ...address, state: 'TX' });
  });

  it("does not send a customer's address without a country", () => {
    expect(billing(undefined, { line1: 'Somewhere' })).toBeNull();
  });

  it('returns for any input an address that may be sent, or none', () => {
    const nearly = fc.record(
      Object.fromEntries(
        ['line1', 'line2', 'city', 'postal_code', 'state', 'country'].map((field) => [
          field,
          fc.oneof(fc.string(), fc.constantFrom('US', 'CA', 'DE', 'XX'), fc.jsonValue()),
        ]),
      ),
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(nearly, fc.jsonValue()), (sent) => {
        const address = billing(sent);
        if (address === null) return;
        expect(address.country).toMatch(/^[A-Z]{2}$/);
        for (const value of Object.values(address)) expect(value).toEqual(expect.stringMatching(/\S/));
        if (address.country === 'US' || address.country === 'CA') expect(address.state).toBeDefined();
      }),
      { numRuns: 500 },
    );
  });
});
