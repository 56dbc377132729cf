import { useChange } from '../../api/calls.ts';
import { useRefusal } from '../../api/session.ts';
import { ErrorNote } from '../../components/feedback/error-state.tsx';
import { toast } from '../../components/feedback/toasts.tsx';
import { Field } from '../../components/forms/field.tsx';
import { Select } from '../../components/forms/inputs.tsx';
import { Card } from '../../components/layout/card.tsx';
import { type Detail, refreshed } from './answer/detail.ts';

/** The person who prepares the answer. Renders nothing if no answer is due. */
export function AssigneeCard({ detail }: { readonly detail: Detail }) {
  const { status } = detail.dispute;
  return (status === 'action_required' || status === 'new') && <Assignee detail={detail} />;
}

function Assignee({ detail: { dispute, assignee, colleagues } }: { readonly detail: Detail }) {
  const refusal = useRefusal()('assignDispute');
  const assign = useChange('assignDispute', refreshed);
  const hand = (user: string) =>
    assign.mutate(
      { params: { id: dispute.id }, body: { user: user === '' ? null : user } },
      {
        onSuccess: ({ assignee: to }) =>
          toast(to === null ? 'Nobody prepares the answer now' : `Handed to ${to.email}`),
      },
    );
  return (
    <Card title="Who prepares the answer">
      {refusal === undefined ? (
        <Field label="Handed to" hint="They get a mail, and the reminders before the deadline.">
          <Select
            value={assign.isPending ? (assign.variables.body.user ?? '') : (assignee?.id ?? '')}
            disabled={assign.isPending}
            empty="Nobody yet"
            choices={colleagues.map(({ id, email }) => ({ value: id, label: email }))}
            onChange={({ target }) => hand(target.value)}
          />
        </Field>
      ) : (
        <p className="[overflow-wrap:anywhere]">{assignee?.email ?? 'Nobody yet.'}</p>
      )}
      <ErrorNote error={assign.error} className="mt-3" />
    </Card>
  );
}
