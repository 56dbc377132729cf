import type { MutateOptions } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { type Answer, type ApiError, type Input, type OperationName, useChange } from '../../api/calls.ts';
import { newIdempotencyKey } from '../../api/idempotency-key.ts';
import { toast } from '../feedback/toasts.tsx';
import { useOpening } from './opening.ts';

export interface Intention<K extends OperationName> {
  readonly send: (input: Input<K>) => void;
  /** To be called when the form is edited: a dialog that was opened again and edited meanwhile stays open. */
  readonly noteEdit: () => void;
  /** What was asked for, while its outcome is open: no answer yet, or one that leaves it open. */
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

/** Whether an error leaves open what became of the request. */
const isUnknown = (error: ApiError): boolean => error.status === 0 || error.status >= 500;

/**
 * What a dialog makes, under one idempotency key until its answer is known. Kept beside the dialog: one that is closed
 * while its request is under way must not make a second one possible.
 * @param open whether the dialog is open
 */
export function useIntention<K extends OperationName>(
  name: K,
  refresh: readonly OperationName[],
  open: boolean,
  {
    onAnswer,
    onError,
  }: {
    /**
     * @param mayClose whether the dialog is open and shows this request
     * @returns whether the intention is done; otherwise the dialog shows the answer
     */
    readonly onAnswer: (answer: Answer<K>, mayClose: boolean) => boolean;
    readonly onError?: () => void;
  },
): Intention<K> {
  const [idempotencyKey, setKey] = useState(newIdempotencyKey);
  const [begun, setBegun] = useState<Input<K>>();
  const change = useChange(name, refresh);
  // The library's own type leaves open whether there is an input.
  const mutate = change.mutate as Mutate<K>;
  // Known at once, which `isPending` is only after the next rendering.
  const isUnderWay = useRef(false);
  const opening = useOpening(open);
  const lastEdit = useRef<() => boolean>(undefined);
  const renew = () => {
    change.reset();
    setKey(newIdempotencyKey());
  };
  const send = (input: Input<K>) => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    lastEdit.current = undefined;
    setBegun(input);
    const isStillOpen = opening.mark();
    mutate({ ...input, idempotencyKey } as Input<K>, {
      onSuccess: (answer) => {
        const isEdited = lastEdit.current?.() === true;
        const mayClose = isStillOpen() || (opening.isOpen() && !isEdited);
        if (onAnswer(answer, mayClose)) renew();
      },
      onError: (error) => {
        onError?.();
        if (!opening.isOpen()) toast(error.message, 'bad');
      },
      onSettled: () => {
        isUnderWay.current = false;
      },
    });
  };
  const isOutcomeOpen = change.isPending || (change.error !== null && isUnknown(change.error));
  return {
    send,
    noteEdit: () => {
      lastEdit.current = opening.mark();
    },
    begun: isOutcomeOpen ? begun : undefined,
    forget: () => {
      if (!isUnderWay.current) renew();
    },
    busy: change.isPending,
    error: change.error,
    answer: change.data,
  };
}
