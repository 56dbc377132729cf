import { expect, it } from 'vitest';
import { OpenStreams } from './open-streams.ts';

/** Opens as many streams of an account as it may have, with ten keys. @returns functions that end them */
function openAll(open: OpenStreams, accountId: string): (() => void)[] {
  const ends = Array.from({ length: 100 }, (_, n) =>
    open.enter({ accountId, keyId: `${accountId}_${n % 10}` }),
  );
  return ends.filter((end) => end !== null);
}

it('an account still gets its share where other accounts have all streams of the process', () => {
  const open = new OpenStreams();
  const ends = Array.from({ length: 10 }, (_, n) => openAll(open, `acct_${n}`));
  expect(ends.map(({ length }) => length)).toEqual(Array.from({ length: 10 }, () => 50));
  // 500 in all, for eleven and then twelve accounts.
  expect(openAll(open, 'acct_10')).toHaveLength(45);
  expect(openAll(open, 'acct_11')).toHaveLength(41);
  ends[0]?.[0]?.();
  expect(openAll(open, 'acct_0')).toHaveLength(0);
});
