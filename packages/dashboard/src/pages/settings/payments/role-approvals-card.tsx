import { type FormEvent, useState } from 'react';
import { type Answer, useCall, useChange } from '../../../api/calls.ts';
import { useRefusal } from '../../../api/session.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { ErrorNote, ErrorState, fieldError } from '../../../components/feedback/error-state.tsx';
import { SkeletonLines } from '../../../components/feedback/skeleton.tsx';
import { toast } from '../../../components/feedback/toasts.tsx';
import { Field } from '../../../components/forms/field.tsx';
import { TextInput } from '../../../components/forms/inputs.tsx';
import { ConcurrentChanges, useDraft } from '../../../components/forms/use-draft.tsx';
import { Card } from '../../../components/layout/card.tsx';
import { roleLabel } from '../roles.ts';

type Approvals = Answer<'retrieveRoleApprovals'>;
const roles = ['admin', 'support', 'developer'] as const;
type Role = (typeof roles)[number];

/** The amounts above which each role needs approval. */
export function RoleApprovalsCard() {
  const answer = useCall('retrieveRoleApprovals');
  return (
    <Card
      title="Approval by role"
      description="Above an amount, a refund, capture or payment link that a role makes in the dashboard waits for an owner or admin, in the sandbox and live. Owners never wait, and they alone change this."
    >
      {answer.data !== undefined ? (
        <ApprovalsForm approvals={answer.data} />
      ) : answer.error === null ? (
        <SkeletonLines of="the approvals by role" lines={4} />
      ) : (
        <ErrorState error={answer.error} onRetry={() => void answer.refetch()} />
      )}
      <p className="mt-3 max-w-prose text-sm text-text-2">
        Nobody approves what they asked for while somebody else could, nor what their own role would have to
        wait for. Restricted API keys have an amount of their own; full ones never wait.
      </p>
    </Card>
  );
}

/** The amounts as typed. */
type Typed = Readonly<Record<Role, string>>;

const typedOf = (approvals: Approvals) =>
  Object.fromEntries(roles.map((role) => [role, String(approvals[role] ?? '')])) as Typed;

const isAmount = (text: string) => /^(0|[1-9]\d{0,11})?$/.test(text.trim());
const amountOf = (text: string) => (text.trim() === '' ? null : Number(text.trim()));

function ApprovalsForm({ approvals }: { readonly approvals: Approvals }) {
  const refusal = useRefusal()('updateRoleApprovals');
  const save = useChange('updateRoleApprovals', ['retrieveRoleApprovals']);
  const present = typedOf(approvals);
  const draft = useDraft(present);
  const { typed } = draft;
  const [tried, setTried] = useState(false);
  const changed = roles.filter((role) => present[role] !== typed[role].trim());
  const unchanged = changed.length === 0 ? 'Nothing has been changed.' : undefined;
  const faultOf = (role: Role) =>
    isAmount(typed[role]) ? undefined : 'Enter a whole number of minor units, or nothing for never.';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    const isWrong = roles.some((role) => faultOf(role) !== undefined);
    if (isWrong || save.isPending || (refusal ?? unchanged) !== undefined) return;
    // Only changed amounts are sent, so that changes that others made meanwhile are kept.
    const body = Object.fromEntries(changed.map((role) => [role, amountOf(typed[role])]));
    const onSuccess = () => {
      setTried(false);
      toast('Approval by role changed');
    };
    save.mutate({ body }, { onSuccess });
  };
  return (
    <form onSubmit={submit} noValidate className="flex max-w-2xl flex-col gap-4">
      {roles.map((role) => (
        <Field
          key={role}
          label={`${roleLabel(role)}: wait above`}
          hint={`In minor units of whatever currency; 0: each one; empty: never.${role === 'developer' ? ' In the sandbox only.' : ''}`}
          error={(tried ? faultOf(role) : undefined) ?? fieldError(save.error, role)}
        >
          <TextInput
            inputMode="numeric"
            autoComplete="off"
            value={typed[role]}
            onChange={({ target }) => draft.set({ [role]: target.value })}
          />
        </Field>
      ))}
      <ConcurrentChanges draft={draft} labelOf={(role) => roleLabel(role as Role)} />
      <ErrorNote error={save.error} />
      <div>
        <Button type="submit" variant="primary" busy={save.isPending} unavailable={refusal ?? unchanged}>
          Save amounts
        </Button>
      </div>
    </form>
  );
}
