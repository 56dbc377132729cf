import { describe, expect, it } from 'vitest';
import { readCardForm } from './card-form.ts';

const now = new Date('2026-11-22T12:00:00Z');
const good = { number: '4111 1111 1111 1111', expiry: '03/30', cvc: '737', name: 'Jane Smith' };
const read = (changes: Partial<typeof good>) =>
  readCardForm(new URLSearchParams({ ...good, ...changes }), now);

describe('the card form', () => {
  it('is read into a card', () => {
    expect(read({})).toEqual({
      card: { number: '4111111111111111', expMonth: 3, expYear: 2030, cvc: '737', holderName: 'Jane Smith' },
    });
  });

  it.each(['3/30', '03/30', '0330', '03/2030', '03 / 30', '03-30', '03.30', '2030-03', '٠٣/٣٠'])(
    'takes the expiry date %s',
    (expiry) => {
      expect(read({ expiry })).toMatchObject({ card: { expMonth: 3, expYear: 2030 } });
    },
  );

  it.each([
    '4111-1111-1111-1111',
    ' 4111\u00a01111 1111 1111 ',
    '٤١١١١١١١١١١١١١١١',
    '４１１１１１１１１１１１１１１１',
  ])('takes the number %s', (number) => {
    expect(read({ number })).toMatchObject({ card: { number: '4111111111111111' } });
  });

  it('takes a security code with a space', () => {
    expect(read({ cvc: '73 7' })).toMatchObject({ card: { cvc: '737' } });
  });

  it.each([
    [{ number: '' }, { number: 'number_empty' }],
    [{ number: '4111' }, { number: 'number_short' }],
    [{ number: '4111111111111112' }, { number: 'number_wrong' }],
    [{ number: 'a4111111111111111' }, { number: 'number_wrong' }],
    [{ number: '41111111111111111111' }, { number: 'number_wrong' }],
    [{ expiry: '' }, { expiry: 'expiry_empty' }],
    [{ expiry: '00/30' }, { expiry: 'expiry_empty' }],
    [{ expiry: '13/30' }, { expiry: 'expiry_empty' }],
    [{ expiry: '10/26' }, { expiry: 'expiry_past' }],
    [{ cvc: '12' }, { cvc: 'cvc_wrong_3' }],
    [{ cvc: '1234' }, { cvc: 'cvc_wrong_3' }],
    [{ number: '370000000000002' }, { cvc: 'cvc_wrong_4' }],
    [{ name: '' }, { name: 'name_wrong' }],
    [{ name: '4111 1111 1111 1111' }, { name: 'name_wrong' }],
    [{ name: '٧٣٧' }, { name: 'name_wrong' }],
    [{ name: 'x'.repeat(101) }, { name: 'name_wrong' }],
  ])('names what is wrong with %o', (changes, errors) => {
    expect(read(changes)).toMatchObject({ errors });
  });

  it('takes a card in its last month, and gives a wrong name never back', () => {
    expect(read({ expiry: '11/26' })).toHaveProperty('card');
    expect(read({ cvc: '' })).toMatchObject({ name: 'Jane Smith' });
    expect(read({ name: '4111111111111111' })).toMatchObject({ name: '' });
  });
});
