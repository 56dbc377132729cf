import { type FormEvent, type ReactNode, useState } from 'react';
import { Button } from '../buttons/button.tsx';
import { ErrorNote } from '../feedback/error-state.tsx';
import { Field } from '../forms/field.tsx';
import { TextInput } from '../forms/inputs.tsx';
import { Dialog, DialogActions } from './dialog.tsx';

export interface ConfirmDialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** What will happen, including what cannot be undone. */
  readonly children: ReactNode;
  /** The button's label: a verb and its object, e.g. "Revoke key". */
  readonly action: string;
  readonly onConfirm: () => void;
  /** The text that the person has to type to enable the button. */
  readonly typed?: string;
  readonly danger?: boolean;
  readonly busy?: boolean;
  readonly error?: Error | null;
}

/** Asks for confirmation of something that is hard to undo. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  return (
    <Dialog open={props.open} onClose={props.onClose} title={props.title}>
      <ConfirmForm {...props} />
    </Dialog>
  );
}

function ConfirmForm(props: ConfirmDialogProps) {
  const { onClose, children, action, onConfirm, typed, danger = true, busy = false, error } = props;
  const [text, setText] = useState('');
  const [tried, setTried] = useState(false);
  // The caller keeps its error after the dialog closes. An error of an earlier opening says nothing about this one.
  const [former] = useState(error);
  const matches = typed === undefined || text.trim() === typed;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (matches && !busy) onConfirm();
  };
  return (
    <form onSubmit={submit} noValidate>
      <div className="space-y-3 text-text-2">{children}</div>
      {typed !== undefined && (
        <Field
          className="mt-4"
          label={
            <>
              Type <b className="font-semibold select-all">{typed}</b> to go on
            </>
          }
          error={tried && !matches ? `Type “${typed}” exactly as it is written.` : undefined}
          required
        >
          <TextInput
            value={text}
            onChange={(event) => setText(event.target.value)}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
          />
        </Field>
      )}
      <ErrorNote error={error === former ? null : error} className="mt-4" />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant={danger ? 'danger' : 'primary'} busy={busy}>
          {action}
        </Button>
      </DialogActions>
    </form>
  );
}
