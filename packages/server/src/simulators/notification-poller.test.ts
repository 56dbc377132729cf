import { describe, expect, it } from 'vitest';
import { createNotificationPoller, type NotificationSource } from './notification-poller.ts';

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A poller with pauses that end when the test says so. */
function createHarness(source: Partial<NotificationSource> = {}) {
  const pauses: { ms: number; end: () => void }[] = [];
  const errors: unknown[] = [];
  let sent = 0;
  const poller = createNotificationPoller(
    {
      delay: (ms, signal) =>
        new Promise((resolve) => {
          pauses.push({ ms, end: resolve });
          signal?.addEventListener('abort', () => resolve());
        }),
    },
    {
      sendDue: async () => {
        sent += 1;
        return 0;
      },
      isDueWithin: async () => false,
      ...source,
    },
    (error) => errors.push(error),
  );
  const endPause = async () => {
    pauses.shift()?.end();
    await settled();
  };
  return { poller, pauses, errors, endPause, sent: () => sent };
}

describe('the poller of planned notifications', () => {
  it('rests until it is woken, then looks half a second later, once for any number of calls', async () => {
    const { poller, pauses, endPause, sent } = createHarness();
    await settled();
    expect(pauses).toEqual([]);
    for (let count = 0; count < 5; count += 1) poller.wake();
    expect(pauses.map(({ ms }) => ms)).toEqual([500]);
    await endPause();
    expect(sent()).toBe(1);
    expect(pauses).toEqual([]);
  });

  it('goes on while something is about to be due', async () => {
    let due = true;
    const { poller, pauses, endPause, sent } = createHarness({ isDueWithin: async () => due });
    poller.wake();
    await endPause();
    await endPause();
    expect(sent()).toBe(2);
    expect(pauses).toHaveLength(1);
    due = false;
    await endPause();
    expect(sent()).toBe(3);
    expect(pauses).toEqual([]);
  });

  it('looks again for what was planned while it was sending', async () => {
    let plan = () => {};
    const { poller, pauses, endPause } = createHarness({
      sendDue: async () => {
        plan();
        return 1;
      },
    });
    plan = () => {
      plan = () => {};
      poller.wake();
    };
    poller.wake();
    await endPause();
    expect(pauses).toHaveLength(1);
    await endPause();
    expect(pauses).toEqual([]);
  });

  it('is woken by a check only where something is about to be due', async () => {
    let due = false;
    const { poller, pauses, endPause } = createHarness({ isDueWithin: async (ms) => due && ms >= 2_500 });
    await poller.check();
    expect(pauses).toEqual([]);
    due = true;
    await poller.check();
    expect(pauses).toHaveLength(1);
    due = false;
    await endPause();
    expect(pauses).toEqual([]);
  });

  it('reports what goes wrong and can be woken again', async () => {
    const { poller, pauses, errors, endPause } = createHarness({
      sendDue: () => Promise.reject(new Error('the database is away')),
    });
    poller.wake();
    await endPause();
    expect(errors).toEqual([new Error('the database is away')]);
    expect(pauses).toEqual([]);
    poller.wake();
    expect(pauses).toHaveLength(1);
  });

  it('stops at once and for good', async () => {
    const { poller, pauses, sent } = createHarness();
    poller.wake();
    await poller.stop();
    expect(sent()).toBe(0);
    pauses.length = 0;
    poller.wake();
    await settled();
    expect(pauses).toEqual([]);
  });
});
