import { type FormEvent, useState } from 'react';
import type { Answer } from '../../../api/calls.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { ErrorNote, fieldError } from '../../../components/feedback/error-state.tsx';
import { Field } from '../../../components/forms/field.tsx';
import { TextInput } from '../../../components/forms/inputs.tsx';
import { Dialog, DialogActions } from '../../../components/overlays/dialog.tsx';
import { useDialogChange } from '../../../components/overlays/requests/dialog-change.ts';
import { CopyButton } from '../../../components/values/copy-button.tsx';

/**
 * Shows the secret for the authenticator app and asks for its first code. The dialog is open while there is an
 * enrolment.
 */
export function EnrolDialog({
  enrolment,
  onClose,
  onDone,
}: {
  readonly enrolment: Answer<'beginTotp'> | undefined;
  readonly onClose: () => void;
  readonly onDone: (recoveryCodes: readonly string[]) => void;
}) {
  return (
    <Dialog open={enrolment !== undefined} onClose={onClose} title="Set up an authenticator" size="md">
      {enrolment !== undefined && <EnrolForm enrolment={enrolment} onClose={onClose} onDone={onDone} />}
    </Dialog>
  );
}

function EnrolForm({
  enrolment,
  onClose,
  onDone,
}: {
  readonly enrolment: Answer<'beginTotp'>;
  readonly onClose: () => void;
  readonly onDone: (recoveryCodes: readonly string[]) => void;
}) {
  const activate = useDialogChange('activateTotp', ['retrieveSecurity', 'retrieveSession'], {
    open: true,
    onClose,
  });
  const [code, setCode] = useState('');
  const [tried, setTried] = useState(false);
  const fault = code.trim() === '' ? 'Enter the code that the app shows.' : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (fault !== undefined) return;
    activate.send({ body: { code: code.trim() } }, ({ recovery_codes }, close) => {
      close();
      onDone(recovery_codes);
    });
  };
  return (
    <form onSubmit={submit} noValidate>
      <ol className="flex list-decimal flex-col gap-4 pl-5 marker:text-text-3">
        <li>
          Scan this with an authenticator app.
          <img
            alt="QR code with the secret for the app"
            src={`data:image/svg+xml,${encodeURIComponent(enrolment.qr_svg)}`}
            className="mt-2 size-44 rounded-md border border-line bg-white p-2"
          />
          <p className="mt-2 text-sm text-text-2">Or type this secret into the app:</p>
          <div className="flex flex-wrap items-center gap-1">
            <code className="font-mono text-sm break-all">{enrolment.secret}</code>
            <CopyButton text={enrolment.secret} what="secret" />
          </div>
        </li>
        <li>
          <Field
            label="Enter the code that the app shows"
            error={(tried ? fault : undefined) ?? fieldError(activate.error, 'code')}
            required
            className="max-w-60"
          >
            <TextInput
              inputMode="numeric"
              autoComplete="one-time-code"
              maxLength={40}
              className="font-mono tracking-wider"
              value={code}
              onChange={(event) => setCode(event.target.value)}
            />
          </Field>
        </li>
      </ol>
      <ErrorNote error={activate.error} fields={['code']} className="mt-4" />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" busy={activate.busy}>
          Turn on
        </Button>
      </DialogActions>
    </form>
  );
}
