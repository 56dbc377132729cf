import { hash, verify } from '@node-rs/argon2';
import { DashboardError, passwordLimits } from '@till/contract/dashboard';
import type { Suspend } from '../../lib/waiting/suspend.ts';
import { isCommonPassword } from './common-passwords.ts';

/** argon2id with 19 MiB and two passes, the OWASP minimum. */
const argon2 = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/**
 * The hash of random bytes that were discarded. A password for an unknown address is compared with it, so that this takes
 * the same time.
 */
const dummyHash =
  '$argon2id$v=19$m=19456,t=2,p=1$LQ9YoXUmwHeoGewwyS/lUw$MgcD2YY7cD9WeHk2OlD+7w/kNJiU9gKK3xduQdVvqLQ';

const maxAtOnce = 2;
const maxWaiting = 50;

/** The slow functions, which tests replace in order to count the calls. */
export interface PasswordWork {
  readonly hash: (password: string) => Promise<string>;
  readonly verify: (hashed: string, password: string) => Promise<boolean>;
}

const argon2Work: PasswordWork = {
  hash: (password) => hash(password, argon2),
  verify: (hashed, password) => verify(hashed, password),
};

/** Hashes and compares passwords, two at a time: more would take memory and CPU time from payments. */
export class Passwords {
  readonly #work: PasswordWork;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(work: PasswordWork = argon2Work) {
    this.#work = work;
  }

  /**
   * @param suspend suspends the request while it waits
   * @throws DashboardError `weak_password`; `too_many_attempts` if too many requests wait
   */
  async hash(password: string, suspend: Suspend): Promise<string> {
    requireStrong(password);
    return suspend(() => this.#inSlot(() => this.#work.hash(plain(password))));
  }

  /**
   * Whether this is the password. Without a hash to compare with, it does the same work and returns false.
   * @param suspend suspends the request while it waits
   * @throws DashboardError `too_many_attempts` if too many requests wait
   */
  async matches(hashed: string | undefined, password: string, suspend: Suspend): Promise<boolean> {
    const known = hashed?.startsWith('$argon2id$') === true;
    const compare = () => this.#work.verify(known ? hashed : dummyHash, plain(password));
    const same = await suspend(() => this.#inSlot(compare));
    return known && same;
  }

  async #inSlot<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= maxAtOnce) {
      if (this.#waiting.length >= maxWaiting) {
        throw new DashboardError('too_many_attempts', 'Too many people sign in right now. Try again soon.', {
          retryAfterSeconds: 2,
        });
      }
      // The request that ends passes its slot on directly, so that a newer request cannot take it.
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else {
      this.#running += 1;
    }
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}

/** Keyboards may encode the same letters differently; they are still the same password. */
const plain = (password: string) => password.normalize('NFC');

/** @throws DashboardError `weak_password` */
function requireStrong(password: string): void {
  const { min, max } = passwordLimits;
  if (password.length >= min && password.length <= max) {
    if (!isCommonPassword(password)) return;
    throw new DashboardError(
      'weak_password',
      'This password is among the most common ones, and is guessed first. Take another, best of several words.',
      { param: 'password' },
    );
  }
  throw new DashboardError('weak_password', `A password has ${min} to ${max} characters.`, {
    param: 'password',
  });
}
