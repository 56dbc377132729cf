import { Admission, type AdmissionLimits, type Importance } from './admission.ts';
import type { Place } from './place.ts';

/** An admission with a fake clock: waits time out only when the test calls `expire`. */
export function create(limits: Partial<AdmissionLimits> = {}) {
  const expiries: (() => void)[] = [];
  let now = 0;
  const delay = () => new Promise<void>((resolve) => expiries.push(resolve));
  const admission = new Admission({
    limits: { working: 2, reserved: 0, queued: 2, open: 100, ...limits },
    delay,
    elapsed: () => now,
  });
  /** Asks for a place. @returns the outcome: empty at first, then with a place or a refusal */
  const ask = (importance: Importance = 'money', flow = 'a') => {
    const result: { place?: Place; refusal?: string } = {};
    admission.enter(importance, flow, (outcome) => {
      if (typeof outcome === 'string') result.refusal = outcome;
      else result.place = outcome;
    });
    return result;
  };
  const expire = async () => {
    for (const end of expiries.splice(0)) end();
    await new Promise((resolve) => setImmediate(resolve));
  };
  const pass = (ms: number) => {
    now += ms;
  };
  return { admission, ask, expire, pass };
}
