import { type FormEvent, useState } from 'react';
import { useChange } from '../../api/calls.ts';
import { newIdempotencyKey } from '../../api/idempotency-key.ts';
import { Button } from '../../components/buttons/button.tsx';
import { ErrorNote, fieldError } from '../../components/feedback/error-state.tsx';
import { toast } from '../../components/feedback/toasts.tsx';
import { Field } from '../../components/forms/field.tsx';
import { TextInput } from '../../components/forms/inputs.tsx';
import { Dialog, DialogActions } from '../../components/overlays/dialog.tsx';

interface Props {
  readonly id: string;
  readonly onClose: () => void;
}

/** Sends a link to one address. */
export function MailLink({ open, ...props }: Props & { readonly open: boolean }) {
  return (
    <Dialog open={open} onClose={props.onClose} title="Send the link by mail">
      <MailForm {...props} />
    </Dialog>
  );
}

function MailForm({ id, onClose }: Props) {
  const [to, setTo] = useState('');
  const [tried, setTried] = useState(false);
  const [idempotencyKey, setKey] = useState(newIdempotencyKey);
  const send = useChange('mailPaymentLink', ['listMails']);
  const missing = to.trim() === '';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (missing || send.isPending) return;
    send.mutate(
      { params: { id }, body: { to: to.trim() }, idempotencyKey },
      {
        onSuccess: () => {
          toast('The mail is on its way');
          onClose();
        },
      },
    );
  };
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      <Field
        label="E-mail address"
        hint="The mail has the title, the amount and the address, in the language of your pages."
        error={(tried && missing ? 'Enter an e-mail address.' : undefined) ?? fieldError(send.error, 'to')}
        required
      >
        <TextInput
          name="mail-to"
          type="email"
          autoComplete="off"
          maxLength={254}
          value={to}
          onChange={({ target }) => {
            setTo(target.value);
            // Another address is another mail.
            setKey(newIdempotencyKey());
          }}
        />
      </Field>
      <ErrorNote error={send.error} fields={['to']} />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" busy={send.isPending}>
          Send
        </Button>
      </DialogActions>
    </form>
  );
}
