import { describe, expect, it } from 'vitest';
import { upstreamCustomer, upstreamEmail, upstreamName, upstreamPhone } from './customer.ts';

describe('upstreamCustomer', () => {
  it('uses our id of the buyer', () => {
    const buyer = {
      id: 'cus_1',
      email: 'ada@example.com',
      name: 'Ada Lovelace',
      phone: '+44 20 7946 0958',
      locale: null,
      dateOfBirth: null,
    };
    expect(upstreamCustomer(buyer, null)).toEqual({
      merchant_customer_id: 'cus_1',
      email_address: 'ada@example.com',
      phone: { phone_number: { country_code: '44', national_number: '2079460958' } },
      name: { given_name: 'Ada', surname: 'Lovelace' },
    });
  });
});

describe('upstreamPhone', () => {
  it.each([
    ['+12125550100', '1', '2125550100'],
    ['+7 495 123-45-67', '7', '4951234567'],
    ['+49 (30) 901820', '49', '30901820'],
    ['+353 1 234 5678', '353', '12345678'],
    ['+882123456', '882', '123456'],
  ])('splits %s', (phone, country_code, national_number) => {
    expect(upstreamPhone(phone)).toEqual({ phone_number: { country_code, national_number } });
  });

  it.each([null, '', '020 7946 0958', '+44', `+${'1'.repeat(16)}`, '+49 30 x'])(
    'undefined for %s',
    (phone) => {
      expect(upstreamPhone(phone)).toBeUndefined();
    },
  );
});

describe('upstreamName', () => {
  it.each([
    [' Juan Carlos  Perez ', { given_name: 'Juan Carlos', surname: 'Perez' }],
    ['Plato', { given_name: 'Plato', surname: undefined }],
    ['  ', undefined],
    [null, undefined],
    [`${'a'.repeat(200)} ${'b'.repeat(200)}`, { given_name: 'a'.repeat(140), surname: 'b'.repeat(140) }],
  ])('splits %j', (name, expected) => {
    expect(upstreamName(name)).toEqual(expected);
  });
});

describe('upstreamEmail', () => {
  it.each(['ada@example.com', "o'neil+tag@mail.example.co.uk"])('accepts %s', (email) => {
    expect(upstreamEmail(email)).toBe(email);
  });

  it.each(['jürgen@example.com', 'a@münchen.example', '.a@example.com', `${'a'.repeat(250)}@b.de`])(
    'undefined for %s',
    (email) => {
      expect(upstreamEmail(email)).toBeUndefined();
    },
  );
});
