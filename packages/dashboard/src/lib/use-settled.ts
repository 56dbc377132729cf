import { useEffect, useState } from 'react';
import { after } from './clock.ts';

/** A value that changes often, as it was when it had not changed for `ms` milliseconds. */
export function useSettled<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => after(ms, () => setSettled(value)), [value, ms]);
  return settled;
}
