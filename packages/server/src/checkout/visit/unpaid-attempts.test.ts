import { expect, it } from 'vitest';
import type { AccountContext } from '../../accounts/context.ts';
import type { Queryable } from '../../store/database.ts';
import { UnpaidAttempts } from './unpaid-attempts.ts';

const context = { accountId: 'acct_1', now: new Date() } as AccountContext;

/** Attempts of one network, none of which is paid. @returns the stored attempts, and a function that begins the next one */
function openNetwork() {
  const kept: string[] = [];
  const db = { query: async () => [{ count: 0 }] } as unknown as Queryable;
  const vault = { name: async () => Buffer.from('network') };
  const unpaid = new UnpaidAttempts(db, vault, { attemptsOfNetwork: async () => [...kept] });
  const attempt = (begin: (keep: () => void) => Promise<string>) =>
    unpaid.attempt(context, 'link', '192.0.2.1', (_network, onBegun) =>
      begin(() => {
        kept.push('pay');
        onBegun();
      }),
    );
  return { kept, attempt };
}

it('twenty may be under way, each of which counts once', async () => {
  const { kept, attempt } = openNetwork();
  const answers: (() => void)[] = [];
  const attempts: Promise<string>[] = [];
  for (let count = 1; count <= 20; count += 1) {
    const answered = new Promise<string>((resolve) => answers.push(() => resolve('begun')));
    attempts.push(
      attempt((keep) => {
        keep();
        return answered;
      }),
    );
    await expect.poll(() => kept.length).toBe(count);
  }
  expect(await attempt(async () => 'begun')).toBe('too_often');
  for (const answer of answers) answer();
  expect(new Set(await Promise.all(attempts))).toEqual(new Set(['begun']));
});

it('those of one moment see each other', async () => {
  const { attempt } = openNetwork();
  const outcomes = await Promise.all(
    Array.from({ length: 25 }, () =>
      attempt(async (keep) => {
        keep();
        return 'begun';
      }),
    ),
  );
  expect(outcomes.filter((outcome) => outcome === 'begun').length).toBeLessThanOrEqual(20);
});
