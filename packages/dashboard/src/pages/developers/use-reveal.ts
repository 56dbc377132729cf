import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Answer, call, type Input, type OperationName, refreshAll } from '../../api/calls.ts';
import { useParam } from '../../navigation/navigation.tsx';

export interface Reveal<K extends OperationName> {
  /** The response with the secret until `forget`; no other copy is kept in the page. */
  readonly answer: Answer<K> | undefined;
  readonly busy: boolean;
  readonly error: Error | null;
  readonly run: (input: Input<K>) => void;
  readonly forget: () => void;
}

/**
 * Calls an operation that returns a secret. Unlike `useChange` it keeps no copy of the response in a cache.
 * @param refresh operations whose queries are invalidated afterwards
 * @param onDone called once the secret is shown
 */
export function useReveal<K extends OperationName>(
  name: K,
  refresh: readonly OperationName[],
  onDone: () => void,
): Reveal<K> {
  const account = useParam('account');
  const queries = useQueryClient();
  const [answer, setAnswer] = useState<Answer<K>>();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const run = async (input: Input<K>) => {
    if (busy) return;
    setBusy(true);
    setError(null);
    try {
      setAnswer(await call(name, { account }, input));
      onDone();
      await refreshAll(queries, refresh);
    } catch (caught) {
      setError(caught as Error);
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
