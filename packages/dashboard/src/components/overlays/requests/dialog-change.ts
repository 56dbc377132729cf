import { useRef } from 'react';
import { type Answer, type ApiError, type Input, type OperationName, useChange } from '../../../api/calls.ts';
import { toastError } from '../../feedback/toasts.tsx';
import { useOpening } from './opening.ts';

/**
 * Called with the response, also after the dialog was closed. `close` closes only the opening that sent the request, and
 * `isOpen` says whether that opening is still there.
 */
type OnSuccess<K extends OperationName> = (answer: Answer<K>, close: () => void, isOpen: boolean) => void;

export interface DialogChange<K extends OperationName> {
  /** Sends the request, unless one is in flight. */
  readonly send: (input: Input<K>, onSuccess: OnSuccess<K>) => void;
  /** The input of the request in flight. */
  readonly sent: Input<K> | undefined;
  readonly busy: boolean;
  readonly error: ApiError | null;
  readonly answer: Answer<K> | undefined;
  /** Forgets the request. Its outcome is still reported. */
  readonly reset: () => void;
}

export interface DialogState {
  readonly open: boolean;
  readonly onClose: () => void;
}

/**
 * A mutation that a dialog sends. Its outcome is reported even if the dialog was closed before the response, a failure
 * then as a message.
 */
export function useDialogChange<K extends OperationName>(
  name: K,
  refresh: readonly OperationName[],
  { open, onClose }: DialogState,
  onError?: () => void,
): DialogChange<K> {
  const change = useChange(name, refresh);
  const opening = useOpening(open);
  const last = useRef<Input<K>>(undefined);
  const settle = async (input: Input<K>, onSuccess: OnSuccess<K>) => {
    last.current = input;
    const isStillOpen = opening.mark();
    let answer: Answer<K>;
    try {
      answer = await change.mutateAsync(input);
    } catch (error) {
      onError?.();
      if (isStillOpen()) return;
      toastError(error as ApiError);
      // A later opening does not begin with this error.
      if (last.current === input) change.reset();
      return;
    }
    const close = () => {
      if (isStillOpen()) onClose();
    };
    onSuccess(answer, close, isStillOpen());
  };
  return {
    send: (input, onSuccess) => {
      if (!change.isPending) void settle(input, onSuccess);
    },
    sent: change.isPending ? change.variables : undefined,
    busy: change.isPending,
    error: change.error,
    answer: change.data,
    reset: change.reset,
  };
}
