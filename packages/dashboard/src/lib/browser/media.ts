import { useSyncExternalStore } from 'react';

const phone = '(width < 40rem)';

const subscribe = (changed: () => void): (() => void) => {
  const list = matchMedia(phone);
  list.addEventListener('change', changed);
  return () => list.removeEventListener('change', changed);
};

/** Whether the window is as narrow as a phone's. */
export const useIsPhone = (): boolean => useSyncExternalStore(subscribe, () => matchMedia(phone).matches);
