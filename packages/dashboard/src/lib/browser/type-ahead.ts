/** The properties of a key press that matter here. Times are milliseconds of one clock. */
type KeyPress = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'timeStamp'>;

/** If the dialog has not appeared this long after the first key press, it will not appear. */
const timeoutMs = 10_000;

/**
 * Buffers key presses between the opening of a dialog and the focus on its field, because the code of the dialog may
 * still be loading.
 */
export function createTypeAhead() {
  let typed: string | undefined;
  let since: number | undefined;
  return {
    begin(): void {
      typed = '';
      since = undefined;
    },
    /** @returns whether the key press belongs to the dialog, or cancels it */
    press({ key, ctrlKey, metaKey, altKey, timeStamp }: KeyPress): 'kept' | 'cancelled' | undefined {
      if (typed === undefined || ctrlKey || metaKey || altKey) return undefined;
      since ??= timeStamp;
      const isCancelled = key === 'Escape';
      if (isCancelled || timeStamp - since > timeoutMs) {
        typed = undefined;
        return isCancelled ? 'cancelled' : undefined;
      }
      if (key !== 'Backspace' && key.length !== 1) return undefined;
      typed = key === 'Backspace' ? typed.slice(0, -1) : typed + key;
      return 'kept';
    },
    /** Called when the field has the focus. @returns the text that was typed before */
    take(): string {
      const text = typed ?? '';
      typed = undefined;
      return text;
    },
  };
}

export type TypeAhead = ReturnType<typeof createTypeAhead>;
