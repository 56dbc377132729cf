import { useEffect, useRef } from 'react';

export interface Opening {
  /** Whether the dialog is open now, for callbacks that run later. */
  readonly isOpen: () => boolean;
  /** Marks the present opening. @returns whether the dialog has stayed open since */
  readonly mark: () => () => boolean;
}

/**
 * Distinguishes the openings of a dialog. A response may arrive after the dialog was closed and opened again: it must not
 * close the later opening, which may hold text that was typed meanwhile.
 * @param isOpen true in a component that is mounted only while the dialog is open
 */
export function useOpening(isOpen: boolean): Opening {
  const current = useRef<object>(undefined);
  useEffect(() => {
    if (!isOpen) return undefined;
    current.current = {};
    return () => {
      current.current = undefined;
    };
  }, [isOpen]);
  return {
    isOpen: () => current.current !== undefined,
    mark: () => {
      const marked = current.current;
      return () => marked !== undefined && marked === current.current;
    },
  };
}
