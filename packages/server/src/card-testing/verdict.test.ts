import { defaultCardTestingLimits } from '@till/contract/dashboard';
import { expect, it } from 'vitest';
import { verdictOn } from './verdict.ts';

const limits = {
  address: { slow_after: 2, refuse_after: 5 },
  card: { slow_after: null, refuse_after: 3 },
  link: { slow_after: 3, refuse_after: 6 },
  account: { slow_after: 4, refuse_after: null },
};

it('an attempt waits 1, 2, 4 and then 8 seconds before it is refused', () => {
  const delays = [0, 1, 2, 3, 4, 5].map((address) => {
    const verdict = verdictOn(limits, { address });
    return verdict.effect === 'slowed' ? verdict.delayMs : verdict.effect;
  });
  expect(delays).toEqual(['none', 'none', 1000, 2000, 4000, 'refused']);
  const account = verdictOn(limits, { account: 1_000_000 });
  expect(account).toEqual({ effect: 'slowed', because: 'account', delayMs: 8000 });
});

it('a refusal counts more than a delay, and the longest delay most', () => {
  expect(verdictOn(limits, { address: 4, card: 3 })).toEqual({ effect: 'refused', because: 'card' });
  expect(verdictOn(limits, { link: 6, account: 9 })).toEqual({ effect: 'refused', because: 'link' });
  expect(verdictOn(limits, { address: 2, account: 5 })).toMatchObject({ because: 'account', delayMs: 2000 });
});

it('what is not limited never waits, and no number of declines closes a whole account by default', () => {
  expect(verdictOn(limits, { card: 2 })).toEqual({ effect: 'none' });
  expect(verdictOn(defaultCardTestingLimits, { account: 1_000_000 }).effect).toBe('slowed');
});
