import { describe, expect, it } from 'vitest';
import { accountPaths, safeReturn, withQuery } from './paths.ts';

describe('addresses', () => {
  it('stand below the account and hold ids as text', () => {
    expect(accountPaths('acct_1').payment('pay_2')).toBe('/acct_1/payments/pay_2');
    expect(accountPaths('acct_1').customer('a/b?c')).toBe('/acct_1/customers/a%2Fb%3Fc');
  });

  it('leave out empty query parameters', () => {
    expect(withQuery('/x', { a: '1', b: '', c: undefined })).toBe('/x?a=1');
    expect(withQuery('/x', {})).toBe('/x');
  });

  it('to return to stay inside the dashboard', () => {
    expect(safeReturn('/acct_1/payments?status=failed')).toBe('/acct_1/payments?status=failed');
    for (const bad of [
      '//evil.example',
      '/\\evil.example',
      'https://evil.example',
      '',
      '/login?x',
      undefined,
    ]) {
      expect(safeReturn(bad)).toBeUndefined();
    }
  });
});
