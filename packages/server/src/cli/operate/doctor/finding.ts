import { messageOf } from '../../../lib/text/message-of.ts';
/** The result of one check. `warn` means that Till works but somebody should take a look. */
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  /** What the operator can do; null if there is nothing to do. */
  readonly todo: string | null;
}

export const ok = (check: string, detail: string): Finding => ({ check, state: 'ok', detail, todo: null });
export const warn = (check: string, detail: string, todo: string): Finding => ({
  check,
  state: 'warn',
  detail,
  todo,
});
export const fail = (check: string, detail: string, todo: string): Finding => ({
  check,
  state: 'fail',
  detail,
  todo,
});

export const reasonOf = (error: unknown): string => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return messageOf(cause);
};
