import { type FormEvent, useState } from 'react';
import { Button } from '../../components/buttons/button.tsx';
import { ErrorNote } from '../../components/feedback/error-state.tsx';
import { toast } from '../../components/feedback/toasts.tsx';
import { Dialog, DialogActions } from '../../components/overlays/dialog.tsx';
import { useDialogChange } from '../../components/overlays/requests/dialog-change.ts';
import { dayOf } from '../../lib/amounts/period.ts';
import { isoOfDay } from '../../lib/amounts/time.ts';
import { timesOf } from './link-form.ts';
import type { LinkItem } from './link-words.tsx';
import {
  DescriptionField,
  LastDayField,
  type SharedForm,
  TitleField,
  UsageFields,
} from './shared-fields.tsx';

type PaymentLink = LinkItem['link'];

interface Props {
  readonly link: PaymentLink;
  readonly onClose: () => void;
}

/** Changes a payment link. Its price cannot be changed. */
export function EditLink({ open, ...props }: Props & { readonly open: boolean }) {
  return (
    <Dialog open={open} onClose={props.onClose} title="Edit the payment link" size="md">
      <EditForm {...props} />
    </Dialog>
  );
}

const usageOf = ({ max_payments: max }: PaymentLink) => {
  if (max === null) return 'many';
  return max === 1 ? 'once' : 'some';
};

/** The last day on which the link can be paid, in the account's time zone; '' if it never expires. */
const lastDayOf = ({ expires_at: end }: PaymentLink) => (end === null ? '' : dayOf(Date.parse(end) - 1));

const formOf = (link: PaymentLink): SharedForm => ({
  title: link.title,
  description: link.description ?? '',
  usage: usageOf(link),
  times: String(link.max_payments ?? ''),
  lastDay: lastDayOf(link),
});

/** The values of the form, and how they are sent. */
function useEditForm({ link, onClose }: Props) {
  // The values at the time when the dialog was opened. Only fields that differ from them are sent, so that changes that
  // others made meanwhile are kept.
  const [before] = useState(() => formOf(link));
  const [form, setForm] = useState(before);
  const [tried, setTried] = useState(false);
  const refreshed = ['retrievePaymentLink', 'listPaymentLinks'] as const;
  const change = useDialogChange('updatePaymentLink', refreshed, { open: true, onClose });
  const max = timesOf(form);
  const untitled = form.title.trim() === '';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (untitled || max === undefined || change.busy) return;
    const { title, description, lastDay } = form;
    const body = {
      ...(title === before.title ? {} : { title: title.trim() }),
      ...(description === before.description ? {} : { description: description.trim() || null }),
      ...(max === timesOf(before) ? {} : { max_payments: max }),
      // An unchanged end keeps its exact time.
      ...(lastDay === before.lastDay ? {} : { expires_at: lastDay === '' ? null : isoOfDay(lastDay, 1) }),
    };
    if (Object.keys(body).length === 0) return onClose();
    change.send({ params: { id: link.id }, body }, (_, close) => {
      toast('The payment link was changed');
      close();
    });
  };
  return {
    form,
    set: (typed: Partial<SharedForm>) => setForm({ ...form, ...typed }),
    submit,
    busy: change.busy,
    error: change.error,
    faults: {
      title: tried && untitled ? 'Enter what is paid for.' : undefined,
      times: tried && max === undefined ? 'Enter a whole number from 1 on.' : undefined,
    },
  };
}

function EditForm({ link, onClose }: Props) {
  const { submit, busy, error, ...part } = useEditForm({ link, onClose });
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      <TitleField {...part} />
      <DescriptionField {...part} />
      <UsageFields {...part} />
      <LastDayField {...part} error={error} />
      <p className="text-text-2">Price and currency stay: what was sent out keeps its price.</p>
      <ErrorNote error={error} fields={['expires_at']} />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" busy={busy}>
          Save
        </Button>
      </DialogActions>
    </form>
  );
}
