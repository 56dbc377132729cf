import { describe, expect, it } from 'vitest';
import { appendParameters, parseUrl } from './url.ts';

it('parses an address in any other encoding alike', () => {
  for (let round = 0; round < 50_000; round += 1) {
    if (parseUrl('https://b\u00fccher.example/\u00e9') === undefined) {
      throw new Error(`refused in round ${round}`);
    }
  }
  expect(parseUrl('https://b\u00fccher.example/\u00e9')?.hostname).toBe('xn--bcher-kva.example');
  expect(parseUrl('no address')).toBeUndefined();
});

describe('parameters appended to an address', () => {
  const added = { payment_id: 'pay_1' };

  it.each([
    ['https://s.example', 'https://s.example?payment_id=pay_1'],
    ['https://S.example:443/ok', 'https://S.example:443/ok?payment_id=pay_1'],
    ['https://s.example/ok?', 'https://s.example/ok?payment_id=pay_1'],
    ['https://s.example/ok?a=1&', 'https://s.example/ok?a=1&payment_id=pay_1'],
    ['https://s.example/a%20b/../c?flag', 'https://s.example/a%20b/../c?flag&payment_id=pay_1'],
    ['https://s.example/?x=%20y+z&&y', 'https://s.example/?x=%20y+z&&y&payment_id=pay_1'],
    [
      'https://s.example/?redirect=https://a.b/c?d',
      'https://s.example/?redirect=https://a.b/c?d&payment_id=pay_1',
    ],
    ['https://s.example/?payment_id=zzz', 'https://s.example/?payment_id=zzz&payment_id=pay_1'],
    ['https://s.example/?a=1#/route?b', 'https://s.example/?a=1&payment_id=pay_1#/route?b'],
    ['https://s.example/#x', 'https://s.example/?payment_id=pay_1#x'],
  ])('leave the rest of %s unchanged', (url, expected) => {
    expect(appendParameters(url, added)).toBe(expected);
  });

  it('characters that no header carries are escaped as a browser would', () => {
    const url = 'https://b\u00fccher.example/caf\u00e9?q=\u{1f600}%20y';
    const appended = appendParameters(url, added);
    expect(appended).toBe('https://xn--bcher-kva.example/caf%C3%A9?q=%F0%9F%98%80%20y&payment_id=pay_1');
    expect(appended).toBe(`${new URL(url).href}&payment_id=pay_1`);
  });

  it('are percent-encoded', () => {
    expect(appendParameters('https://s.example/', { error: 'a b&c#d' })).toBe(
      'https://s.example/?error=a+b%26c%23d',
    );
  });
});
