import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Answer, call, type Input, type OperationName, refreshAll } from '../../api/calls.ts';
import { toastError } from '../../components/feedback/toasts.tsx';
import type { DialogState } from '../../components/overlays/requests/dialog-change.ts';
import { useOpening } from '../../components/overlays/requests/opening.ts';
import { useParam } from '../../navigation/navigation.tsx';

export interface Reveal<K extends OperationName> {
  /** The response with the secret, until `forget` is called. The page keeps no other copy. */
  readonly answer: Answer<K> | undefined;
  readonly busy: boolean;
  readonly error: Error | null;
  readonly run: (input: Input<K>) => void;
  readonly forget: () => void;
}

/**
 * Calls an operation that returns a secret. Unlike `useChange`, it keeps no copy of the response in a cache.
 * @param refresh operations with queries to invalidate afterwards
 * @param dialog the dialog that sends the request; closed once the secret is shown
 */
export function useReveal<K extends OperationName>(
  name: K,
  refresh: readonly OperationName[],
  { open, onClose }: DialogState,
): Reveal<K> {
  const account = useParam('account');
  const queries = useQueryClient();
  const [answer, setAnswer] = useState<Answer<K>>();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const opening = useOpening(open);
  const run = async (input: Input<K>) => {
    if (busy) return;
    const isStillOpen = opening.mark();
    setBusy(true);
    setError(null);
    try {
      setAnswer(await call(name, { account }, input));
      if (isStillOpen()) onClose();
      await refreshAll(queries, refresh);
    } catch (caught) {
      if (isStillOpen()) setError(caught as Error);
      else toastError(caught as Error);
    } finally {
      setBusy(false);
    }
  };
  return {
    answer,
    busy,
    error,
    run: (input) => void run(input),
    forget: () => {
      setAnswer(undefined);
      setError(null);
    },
  };
}
