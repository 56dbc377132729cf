import { type RefObject, useEffect, useRef } from 'react';

/** Whether a dialog is open, for an answer that may come after it was closed. */
export function useIsShown(isOpen: boolean): RefObject<boolean> {
  const isShown = useRef(isOpen);
  useEffect(() => {
    isShown.current = isOpen;
  }, [isOpen]);
  return isShown;
}
