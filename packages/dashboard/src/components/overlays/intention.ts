import type { MutateOptions } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { type Answer, type ApiError, type Input, type OperationName, useChange } from '../../api/calls.ts';
import { newIdempotencyKey } from '../../api/idempotency-key.ts';
import { toast } from '../feedback/toasts.tsx';

export interface Intention<K extends OperationName> {
  readonly send: (input: Input<K>) => void;
  /** What was asked for, while its answer is open. */
  readonly begun: Input<K> | undefined;
  /** Ends the intention, unless it is under way. */
  readonly forget: () => void;
  readonly busy: boolean;
  readonly error: Error | null;
  readonly answer: Answer<K> | undefined;
}

type Mutate<K extends OperationName> = (
  input: Input<K>,
  options: MutateOptions<Answer<K>, ApiError, Input<K>>,
) => void;

/**
 * What a dialog makes, under one idempotency key until its answer is known. Kept beside the dialog: one that is closed
 * while its request is under way must not make a second one possible.
 * @param isOpen whether the dialog is
 * @param onAnswer whether the intention is done; otherwise the dialog shows the answer
 */
export function useIntention<K extends OperationName>(
  name: K,
  refresh: readonly OperationName[],
  isOpen: boolean,
  onAnswer: (answer: Answer<K>, isOpen: boolean) => boolean,
): Intention<K> {
  const [idempotencyKey, setKey] = useState(newIdempotencyKey);
  const [begun, setBegun] = useState<Input<K>>();
  const change = useChange(name, refresh);
  // The library's own type leaves open whether there is an input.
  const mutate = change.mutate as Mutate<K>;
  // Known at once, which `isPending` is only after the next rendering.
  const isUnderWay = useRef(false);
  const isShown = useRef(isOpen);
  useEffect(() => {
    isShown.current = isOpen;
  }, [isOpen]);
  const renew = () => {
    change.reset();
    setKey(newIdempotencyKey());
  };
  const send = (input: Input<K>) => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    setBegun(input);
    mutate({ ...input, idempotencyKey } as Input<K>, {
      onSuccess: (answer) => {
        if (onAnswer(answer, isShown.current)) renew();
      },
      onError: (error) => {
        if (!isShown.current) toast(error.message, 'bad');
      },
      onSettled: () => {
        isUnderWay.current = false;
      },
    });
  };
  return {
    send,
    begun: change.isPending ? begun : undefined,
    forget: () => {
      if (!isUnderWay.current) renew();
    },
    busy: change.isPending,
    error: change.error,
    answer: change.data,
  };
}
