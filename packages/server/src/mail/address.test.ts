import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { headerText, isMailbox } from './address.ts';

describe('a mailbox', () => {
  it.each([
    'jane@shop.example',
    "o'hara+till@mail.shop.example",
    'a.b-c_d@x-y.example',
    'root@localhost',
    `${'a'.repeat(64)}@shop.example`,
  ])('accepts %s', (address) => {
    expect(isMailbox(address)).toBe(true);
  });

  it.each([
    '',
    'jane',
    '@shop.example',
    'jane@',
    'jane@shop..example',
    'jane@-shop.example',
    'jane@.shop.example',
    '.jane@shop.example',
    'ja..ne@shop.example',
    'jane doe@shop.example',
    'jane@shop.example,eve@evil.example',
    'eve@evil.example,jane@shop.example',
    'jane,eve@evil.example',
    'jane;eve@evil.example',
    '<jane@shop.example>',
    'Jane <jane@shop.example>',
    '"jane"@shop.example',
    '"jane@shop.example, eve"@evil.example',
    'jane(comment)@shop.example',
    'jane@[127.0.0.1]',
    'group:jane@shop.example;',
    'jane@shop.example\r\nBcc: eve@evil.example',
    'jane@shop.example\n',
    'jane@shop.example\u0000',
    'jänе@shop.example',
    'jane@shöp.example',
    `${'a'.repeat(65)}@shop.example`,
    `jane@${'a'.repeat(250)}.example`,
  ])('rejects %j', (address) => {
    expect(isMailbox(address)).toBe(false);
  });
});

describe('header text', () => {
  it('is one line without control characters, for any input', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const line = headerText(text);
        expect(line).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
        expect(line.isWellFormed()).toBe(true);
        expect(Array.from(line).length).toBeLessThanOrEqual(254);
      }),
    );
  });

  it('keeps its words', () => {
    expect(headerText(' Café „Blau“\r\n Bcc: x ')).toBe('Café „Blau“ Bcc: x');
    expect(headerText('x'.repeat(300))).toHaveLength(254);
  });
});
