import { beforeAll, describe, expect, it } from 'vitest';
import { cardPayment, Merchant } from '../../support/merchant.ts';

let a: Merchant;

beforeAll(async () => {
  a = await Merchant.open('processor_a');
});

const messageOf = async (changes: Record<string, unknown>) =>
  (await a.pay(changes)).body.error.message as string;

describe('a message names the field, what is accepted and what was sent', () => {
  it.each([
    [{ amount: '1000' }, 'amount must be an integer from 1 to 999999999999; "1000" was sent.'],
    [
      { currency: 'eur' },
      'currency must be an active ISO 4217 code of three uppercase letters, such as EUR; "eur" was sent.',
    ],
    [
      { currency: 'XTS' },
      'currency must be an active ISO 4217 code with minor units, such as EUR; "XTS" was sent.',
    ],
    [
      { card: { cvc: '73712' } },
      'payment_method.cvc must be a string of 3 or 4 digits; a string of 5 characters was sent.',
    ],
    [
      { card: { number: 4_111_111_111_111_111 } },
      'payment_method.number must be a string of 12 to 19 digits, with or without spaces and hyphens; a number was sent.',
    ],
    [
      { card: { exp_month: '03' } },
      'payment_method.exp_month must be an integer from 1 to 12; "03" was sent.',
    ],
    [
      { card: { exp_year: 2020 } },
      'payment_method.exp_year and exp_month must not be in the past; 2020 and 3 were sent.',
    ],
    [
      { reference: 'x'.repeat(81) },
      'reference must be a string of at most 80 characters; a string of 81 characters was sent.',
    ],
    [{ shopper_ip: 'localhost' }, 'shopper_ip must be an IPv4 or IPv6 address; "localhost" was sent.'],
    [{ capture_method: 'Manual' }, 'capture_method must be one of automatic, manual; "Manual" was sent.'],
    [{ customer: 5 }, 'customer must be a string of at most 255 characters or an object; 5 was sent.'],
    [
      { customer: { email: 'jane' } },
      'customer.email must be an e-mail address with one @ and a dot in the domain, of at most 254 characters; "jane" was sent.',
    ],
    [
      { customer: { email: 'jane@shop.example', locale: 'english' } },
      'customer.locale must be a language tag (BCP 47), such as en, en-GB or zh-Hans-CN; "english" was sent.',
    ],
    [{ save_payment_method: 'yes' }, 'save_payment_method must be true or false; "yes" was sent.'],
  ])('%j', async (changes, message) => {
    expect(await messageOf(changes)).toBe(message);
  });
});

it('a message does not take a number that no computer can hold for null', async () => {
  for (const number of ['1e400', '-1e400']) {
    const raw = JSON.stringify(cardPayment()).replace('"amount":4990', `"amount":${number}`);
    const { body } = await a.call('POST', '/api/v1/payments', { raw });
    expect(body.error.message).toBe(
      'amount must be an integer from 1 to 999999999999; a number beyond all limits was sent.',
    );
  }
});

it('two slashes at the end are another address, not another method', async () => {
  const path = '/api/v1/payments/pay_000000000000000000000000/';
  const { body } = await a.get(`${path}/`);
  const message = `There is nothing at GET ${path}.`;
  expect(body.error).toMatchObject({ code: 'not_found', message });
});

it.each(['constructor', '__proto__', 'toString'])(
  'a field %s that cannot be kept is refused by its name',
  async (field) => {
    const raw = JSON.stringify(cardPayment()).replace('{', `{"${field}":"\\u0000",`);
    const { status, body } = await a.call('POST', '/api/v1/payments', { raw });
    expect(status).toBe(422);
    expect(body.error).toMatchObject({ code: 'invalid_params', param: field });
  },
);
