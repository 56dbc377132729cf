import { useRef, useState } from 'react';
import { type Answer, type ApiError, type Input, type OperationName, useChange } from '../../../api/calls.ts';
import { newIdempotencyKey } from '../../../api/idempotency-key.ts';
import { toastError } from '../../feedback/toasts.tsx';
import { useOpening } from './opening.ts';

export interface IdempotentRequest<K extends OperationName> {
  readonly send: (input: Input<K>) => void;
  /** Has to be called when the form is edited: a dialog that was opened again and edited meanwhile stays open. */
  readonly noteEdit: () => void;
  /**
   * The input of the request while its outcome is unknown: there is no response yet, or one that leaves the outcome
   * open.
   */
  readonly begun: Input<K> | undefined;
  /** Drops the request, unless it is in flight. */
  readonly forget: () => void;
  readonly busy: boolean;
  readonly error: Error | null;
  readonly answer: Answer<K> | undefined;
}

/** Whether an error leaves the outcome of the request unknown. */
const isUnknown = (error: ApiError): boolean => error.status === 0 || error.status >= 500;

/**
 * The request of a dialog that creates something, sent under one idempotency key until its outcome is known. The hook
 * belongs beside the dialog, not into it: closing a dialog while its request is in flight must not make a second
 * request possible.
 * @param open whether the dialog is open
 */
export function useIdempotentRequest<K extends OperationName>(
  name: K,
  refresh: readonly OperationName[],
  open: boolean,
  {
    onAnswer,
    onError,
  }: {
    /**
     * @param mayClose whether the dialog is open and shows this request
     * @returns whether the request is settled; otherwise the dialog shows the response
     */
    readonly onAnswer: (answer: Answer<K>, mayClose: boolean) => boolean;
    readonly onError?: () => void;
  },
): IdempotentRequest<K> {
  const [idempotencyKey, setKey] = useState(newIdempotencyKey);
  const [begun, setBegun] = useState<Input<K>>();
  const change = useChange(name, refresh);
  // Set at once, whereas `isPending` changes only with the next rendering.
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
    change.mutate({ ...input, idempotencyKey } as Input<K>, {
      onSuccess: (answer) => {
        const isEdited = lastEdit.current?.() === true;
        const mayClose = isStillOpen() || (opening.isOpen() && !isEdited);
        if (onAnswer(answer, mayClose)) renew();
      },
      onError: (error) => {
        onError?.();
        if (!opening.isOpen()) toastError(error);
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
