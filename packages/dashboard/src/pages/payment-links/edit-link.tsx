import { type FormEvent, useState } from 'react';
import { useChange } from '../../api/calls.ts';
import { Button } from '../../components/buttons/button.tsx';
import { ErrorNote, fieldError } from '../../components/feedback/error-state.tsx';
import { toast } from '../../components/feedback/toasts.tsx';
import { RadioGroup } from '../../components/forms/choices.tsx';
import { Field } from '../../components/forms/field.tsx';
import { DateInput, Textarea, TextInput } from '../../components/forms/inputs.tsx';
import { Dialog, DialogActions } from '../../components/overlays/dialog.tsx';
import { dayOf } from '../../lib/amounts/period.ts';
import { isoOfDay } from '../../lib/amounts/time.ts';
import { usages } from './create-link.tsx';
import { timesOf } from './link-form.ts';
import type { LinkItem } from './link-words.tsx';

type PaymentLink = LinkItem['link'];

interface Props {
  readonly link: PaymentLink;
  readonly onClose: () => void;
}

/** Changes what may change of a link: its price stays. */
export function EditLink({ open, ...props }: Props & { readonly open: boolean }) {
  return (
    <Dialog open={open} onClose={props.onClose} title="Edit the payment link" size="md">
      <EditForm {...props} />
    </Dialog>
  );
}

const usageOf = ({ max_payments: most }: PaymentLink) => {
  if (most === null) return 'many';
  return most === 1 ? 'once' : 'some';
};

/** The last day on which it can be paid, in the account's zone; '' where it does not end. */
const lastDayOf = ({ expires_at: end }: PaymentLink) => (end === null ? '' : dayOf(Date.parse(end) - 1));

/** What is typed, and how it is sent. */
function useEditForm({ link, onClose }: Props) {
  const [form, setForm] = useState({
    title: link.title,
    description: link.description ?? '',
    usage: usageOf(link),
    times: String(link.max_payments ?? ''),
    lastDay: lastDayOf(link),
  });
  const [tried, setTried] = useState(false);
  const change = useChange('updatePaymentLink', ['retrievePaymentLink', 'listPaymentLinks']);
  const most = timesOf(form);
  const untitled = form.title.trim() === '';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (untitled || most === undefined || change.isPending) return;
    const { title, description, lastDay } = form;
    const body = {
      title: title.trim(),
      description: description.trim() === '' ? null : description.trim(),
      max_payments: most,
      // An end that stays keeps its exact time.
      ...(lastDay === lastDayOf(link) ? {} : { expires_at: lastDay === '' ? null : isoOfDay(lastDay, 1) }),
    };
    const onSuccess = () => {
      toast('The payment link was changed');
      onClose();
    };
    change.mutate({ params: { id: link.id }, body }, { onSuccess });
  };
  return {
    form,
    set: (typed: Partial<typeof form>) => setForm({ ...form, ...typed }),
    submit,
    busy: change.isPending,
    error: change.error,
    titleFault: tried && untitled ? 'Enter what is paid for.' : undefined,
    timesFault: tried && most === undefined ? 'Enter a whole number from 1 on.' : undefined,
  };
}

function EditForm({ link, onClose }: Props) {
  const { form, set, submit, busy, error, titleFault, timesFault } = useEditForm({ link, onClose });
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      <Field label="What is paid for" error={titleFault} required>
        <TextInput
          name="link-title"
          autoComplete="off"
          maxLength={120}
          value={form.title}
          onChange={({ target }) => set({ title: target.value })}
        />
      </Field>
      <Field label="More about it" optional>
        <Textarea
          rows={2}
          maxLength={1000}
          value={form.description}
          onChange={({ target }) => set({ description: target.value })}
        />
      </Field>
      <RadioGroup
        legend="It can be paid"
        name="link-usage"
        choices={usages}
        value={form.usage}
        onChange={(usage) => set({ usage })}
      />
      {form.usage === 'some' && (
        <Field label="How often" error={timesFault} required>
          <TextInput
            name="link-times"
            inputMode="numeric"
            autoComplete="off"
            value={form.times}
            onChange={({ target }) => set({ times: target.value })}
          />
        </Field>
      )}
      <Field
        label="Last day"
        hint="After it nobody can pay."
        error={fieldError(error, 'expires_at')}
        optional
      >
        <DateInput value={form.lastDay} onChange={({ target }) => set({ lastDay: target.value })} />
      </Field>
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
