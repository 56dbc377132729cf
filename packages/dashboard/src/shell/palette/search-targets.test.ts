import { describe, expect, it } from 'vitest';
import { accountPaths } from '../../navigation/paths.ts';
import { searchTargets } from './search-targets.ts';

const paths = accountPaths('acct_1');

describe('searching for', () => {
  it.each([
    ['pay_00000000abcd', '/acct_1/payments/pay_00000000abcd'],
    ['cus_00000000abcd', '/acct_1/customers/cus_00000000abcd'],
    ['dsp_00000000abcd', '/acct_1/disputes/dsp_00000000abcd'],
    ['re_00000000abcd', '/acct_1/refunds?search=re_00000000abcd'],
    ['evt_00000000abcd', '/acct_1/developers/events?search=evt_00000000abcd'],
  ])('%s leads to its page', (id, to) => {
    expect(searchTargets(` ${id} `, paths).map((finding) => finding.to)).toEqual([to]);
  });

  it('an id behind a verb leads to its page', () => {
    expect(searchTargets('refund pay_00000000abcd', paths).map(({ to }) => to)).toEqual([
      '/acct_1/payments/pay_00000000abcd',
    ]);
  });

  it('anything else leads to the lists', () => {
    const found = searchTargets('ann@', paths).map(({ to }) => to);
    expect(found).toContain('/acct_1/payments?search=ann%40');
    expect(found).toContain('/acct_1/customers?search=ann%40');
    expect(searchTargets('pay_', paths)[0]?.to).toBe('/acct_1/payments?search=pay_');
  });

  it('leads to no page that the role may not open', () => {
    const labels = (text: string) => searchTargets(text, paths, ['listPayments']).map(({ label }) => label);
    expect(labels('ann@').some((label) => label.includes('request logs'))).toBe(false);
    expect(labels('req_00000000abcd')).toEqual([]);
    expect(labels('pay_00000000abcd')).toEqual(['Open payment pay_00000000abcd']);
  });

  it('an empty text has no targets', () => {
    expect(searchTargets('  ', paths)).toEqual([]);
  });
});
