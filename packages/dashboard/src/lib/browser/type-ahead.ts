/** What of a press of a key matters here; times in milliseconds of one clock. */
type KeyPress = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'timeStamp'>;

/** A dialog that has not come so long after the first press will not. */
const timeoutMs = 10_000;

/**
 * Keeps what is typed between the moment in which a dialog is opened and that in which its field has the focus: its code may
 * still be on the way.
 */
export function createTypeAhead() {
  let typed: string | undefined;
  let since: number | undefined;
  return {
    begin(): void {
      typed = '';
      since = undefined;
    },
    /** @returns whether the press belongs to the dialog, or ends it */
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
    /** The field has the focus. @returns what was typed before */
    take(): string {
      const text = typed ?? '';
      typed = undefined;
      return text;
    },
  };
}

export type TypeAhead = ReturnType<typeof createTypeAhead>;
