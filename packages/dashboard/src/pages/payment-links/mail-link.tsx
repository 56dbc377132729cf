import { type FormEvent, useState } from 'react';
import { Button } from '../../components/buttons/button.tsx';
import { ErrorNote, fieldError } from '../../components/feedback/error-state.tsx';
import { toast } from '../../components/feedback/toasts.tsx';
import { Field } from '../../components/forms/field.tsx';
import { TextInput } from '../../components/forms/inputs.tsx';
import { Dialog, DialogActions } from '../../components/overlays/dialog.tsx';
import {
  type IdempotentRequest,
  useIdempotentRequest,
} from '../../components/overlays/requests/idempotent-request.ts';

interface Props {
  readonly id: string;
  readonly onClose: () => void;
}

/** Sends a link to one e-mail address. */
export function MailLink({ open, ...props }: Props & { readonly open: boolean }) {
  const sending = useIdempotentRequest('mailPaymentLink', ['listMails'], open, {
    onAnswer(_, mayClose) {
      toast('The mail is on its way');
      if (mayClose) props.onClose();
      return true;
    },
  });
  const close = () => {
    sending.forget();
    props.onClose();
  };
  return (
    <Dialog open={open} onClose={close} title="Send the link by mail">
      <MailForm id={props.id} sending={sending} onClose={close} />
    </Dialog>
  );
}

function MailForm({
  id,
  sending: { send, noteEdit, begun, forget, busy, error },
  onClose,
}: Props & { readonly sending: IdempotentRequest<'mailPaymentLink'> }) {
  const [to, setTo] = useState(begun?.body?.to ?? '');
  const [tried, setTried] = useState(false);
  const missing = to.trim() === '';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!missing) send({ params: { id }, body: { to: to.trim() } });
  };
  return (
    <form onSubmit={submit} onChange={noteEdit} noValidate className="flex flex-col gap-4">
      <Field
        label="E-mail address"
        hint="The mail has the title, the amount and the address, in the language of your pages."
        error={(tried && missing ? 'Enter an e-mail address.' : undefined) ?? fieldError(error, 'to')}
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
            // A mail to another address is a different request.
            forget();
          }}
        />
      </Field>
      <ErrorNote error={error} fields={['to']} />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" busy={busy}>
          Send
        </Button>
      </DialogActions>
    </form>
  );
}
