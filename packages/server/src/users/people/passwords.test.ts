import { describe, expect, it } from 'vitest';
import { type Suspend, suspendNothing } from '../../lib/waiting/suspend.ts';
import { CountedWork, goodPassword } from '../test-kit.ts';
import { Passwords } from './passwords.ts';

/** Password work that ends when the test ends it. */
function heldWork() {
  const running: (() => void)[] = [];
  return {
    running,
    work: {
      hash: async () => '',
      verify: () => new Promise<boolean>((resolve) => running.push(() => resolve(true))),
    },
  };
}

const busy = expect.objectContaining({ code: 'too_many_attempts', retryAfterSeconds: 2 });

describe('a password', () => {
  it('is hashed with argon2id, 19 MiB, two passes', async () => {
    const passwords = new Passwords();
    const hashed = await passwords.hash(goodPassword, suspendNothing);
    expect(hashed).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await passwords.matches(hashed, goodPassword, suspendNothing)).toBe(true);
    expect(await passwords.matches(hashed, `${goodPassword} `, suspendNothing)).toBe(false);
    const accented = await passwords.hash('Zürich 1234', suspendNothing);
    expect(await passwords.matches(accented, 'Zu\u0308rich 1234', suspendNothing)).toBe(true);
  });

  it('is compared with something in any case, and never right where there is nothing', async () => {
    const work = new CountedWork();
    const passwords = new Passwords(work);
    expect(await passwords.matches(undefined, goodPassword, suspendNothing)).toBe(false);
    expect(await passwords.matches('', goodPassword, suspendNothing)).toBe(false);
    expect(work.verified).toBe(2);
    expect(
      await new Passwords({ hash: work.hash, verify: async () => true }).matches(
        undefined,
        'x',
        suspendNothing,
      ),
    ).toBe(false);
  });

  it('compared with nothing costs a whole comparison', async () => {
    const seen: string[] = [];
    const verify = async (hashed: string) => seen.push(hashed) > 0;
    await new Passwords({ hash: async () => '', verify }).matches(undefined, goodPassword, suspendNothing);
    expect(seen[0]).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    expect(await new Passwords().matches(undefined, goodPassword, suspendNothing)).toBe(false);
  });

  it.each(['short', 'x'.repeat(1001)])('of a wrong length is refused before any work', async (password) => {
    const work = new CountedWork();
    const refused = new Passwords(work).hash(password, suspendNothing);
    await expect(refused).rejects.toMatchObject({ code: 'weak_password', status: 422 });
    expect(work.hashed).toBe(0);
  });
});

describe('many at once', () => {
  it('run two at a time, first come first served', async () => {
    const { running, work } = heldWork();
    const passwords = new Passwords(work);
    const all = Array.from({ length: 5 }, () => passwords.matches('$argon2id$', 'x', suspendNothing));
    let max = 0;
    for (let done = 0; done < all.length; done += 1) {
      max = Math.max(max, running.length - done);
      running[done]?.();
      await all[done];
    }
    expect(max).toBe(2);
    expect(await Promise.all(all)).toEqual(Array.from({ length: 5 }, () => true));
  });

  it('too_many_attempts beyond fifty that wait; those fifty are served', async () => {
    const { running, work } = heldWork();
    const passwords = new Passwords(work);
    const all = Array.from({ length: 52 }, () => passwords.matches('$argon2id$', 'x', suspendNothing));
    await expect(passwords.matches('$argon2id$', 'x', suspendNothing)).rejects.toEqual(busy);
    for (let done = 0; done < all.length; done += 1) {
      running[done]?.();
      await all[done];
    }
    const after = passwords.matches('$argon2id$', 'x', suspendNothing);
    running[52]?.();
    expect(await after).toBe(true);
  });

  it('waiting or running, hold no place among requests', async () => {
    const { running, work } = heldWork();
    let outside = 0;
    const suspend: Suspend = async (wait) => {
      outside += 1;
      return wait().finally(() => {
        outside -= 1;
      });
    };
    const passwords = new Passwords(work);
    const all = Array.from({ length: 3 }, () => passwords.matches('$argon2id$', 'x', suspend));
    expect(outside).toBe(3);
    for (let done = 0; done < all.length; done += 1) {
      running[done]?.();
      await all[done];
    }
    expect(outside).toBe(0);
  });

  it('go on after one that failed', async () => {
    let calls = 0;
    const verify = async () => {
      calls += 1;
      if (calls <= 2) throw new Error('broken');
      return true;
    };
    const passwords = new Passwords({ hash: async () => '', verify });
    const all = await Promise.allSettled(
      Array.from({ length: 6 }, () => passwords.matches('$argon2id$', 'x', suspendNothing)),
    );
    expect(all.map(({ status }) => status)).toEqual([
      'rejected',
      'rejected',
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'fulfilled',
    ]);
  });
});
