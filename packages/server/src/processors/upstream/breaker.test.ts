import { describe, expect, it } from 'vitest';
import { Breaker } from './breaker.ts';

function create(mayOpen?: () => boolean) {
  let now = 0;
  const changes: boolean[] = [];
  const breaker = new Breaker({
    threshold: 3,
    elapsed: () => now,
    mayOpen,
    onChange: (isOpen) => changes.push(isOpen),
  });
  const hang = (times: number) => {
    for (let time = 0; time < times; time += 1) breaker.hung(false);
  };
  const pass = (ms: number) => {
    now += ms;
  };
  return { breaker, changes, hang, pass };
}

describe('a circuit breaker', () => {
  it('opens after so many consecutive calls without an answer', () => {
    const { breaker, changes, hang } = create();
    hang(2);
    breaker.answered();
    hang(2);
    expect([breaker.begin(), changes]).toEqual(['call', []]);
    hang(1);
    expect([breaker.begin(), breaker.isOpen, changes]).toEqual([null, true, [true]]);
  });

  it('admits one probe at a time, after 1, 2, 4, 8, 15 and 15 seconds', () => {
    const { breaker, hang, pass } = create();
    hang(3);
    for (const seconds of [1, 2, 4, 8, 15, 15]) {
      expect(breaker.waitMs()).toBe(seconds * 1000);
      pass(seconds * 1000 - 1);
      expect(breaker.begin()).toBeNull();
      pass(1);
      expect(breaker.begin()).toBe('probe');
      expect(breaker.begin()).toBeNull();
      breaker.hung(true);
    }
  });

  it('closes with the first answer, and starts at one second again', () => {
    const { breaker, changes, hang, pass } = create();
    hang(3);
    pass(1000);
    breaker.begin();
    breaker.hung(true);
    breaker.answered();
    expect([breaker.begin(), changes]).toEqual(['call', [true, false]]);
    hang(3);
    expect(breaker.waitMs()).toBe(1000);
  });

  it('ignores calls that were started before it opened', () => {
    const { breaker, changes, hang } = create();
    hang(10);
    expect([breaker.waitMs(), changes]).toEqual([1000, [true]]);
  });

  it('the next call is a probe where one was inconclusive', () => {
    const { breaker, hang, pass } = create();
    hang(3);
    pass(1000);
    breaker.begin();
    breaker.endedInconclusive();
    expect(breaker.begin()).toBe('probe');
  });

  it('opens only where it is allowed to', () => {
    let mayOpen = false;
    const { breaker, hang } = create(() => mayOpen);
    hang(10);
    expect(breaker.isOpen).toBe(false);
    mayOpen = true;
    hang(1);
    expect(breaker.isOpen).toBe(true);
  });
});
