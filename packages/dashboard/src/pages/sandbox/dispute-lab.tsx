import { useState } from 'react';
import { useChange } from '../../api/calls.ts';
import { Button } from '../../components/buttons/button.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { toast, toastError } from '../../components/feedback/toasts.tsx';
import { Field } from '../../components/forms/field.tsx';
import { Select } from '../../components/forms/inputs.tsx';
import { Money } from '../../components/values/money.tsx';
import { ObjectLink } from '../../components/values/object-link.tsx';
import { Status } from '../../components/values/status.tsx';
import { Countdown } from '../../components/values/time.tsx';
import { disputeState } from '../../lib/wording/dispute-words.ts';
import { statusLook } from '../../lib/wording/status.ts';
import { DisputeForm } from './dispute-form.tsx';
import { Line, Lines } from './line.tsx';
import type { SandboxState } from './state.ts';
import { useRefreshAll } from './state.ts';

/** Opens disputes and moves them through their stages, as issuers and card schemes do. */
export function DisputeLab({ state }: { readonly state: SandboxState }) {
  return (
    <div className="flex flex-col gap-5">
      <DisputeForm payments={state.disputable} />
      <div className="border-t border-line pt-4">
        <h3 className="mb-2 text-sm font-medium">Disputes of this sandbox</h3>
        {state.disputes.length === 0 ? (
          <EmptyState title="No disputes yet">Open one above.</EmptyState>
        ) : (
          <Lines label="Disputes">
            {state.disputes.map((dispute) => (
              <DisputeLine key={`${dispute.id} ${keyOf(dispute)}`} dispute={dispute} />
            ))}
          </Lines>
        )}
      </div>
    </div>
  );
}

interface Position {
  readonly state: string;
  readonly status: string;
}

const positionWords = ({ state, status }: Position): string =>
  `${disputeState(state).word}: ${statusLook('dispute', status).word.toLowerCase()}`;

const keyOf = ({ state, status }: Position): string => `${state} ${status}`;

type Listed = SandboxState['disputes'][number];

function DisputeLine({ dispute }: { readonly dispute: Listed }) {
  return (
    <Line
      actions={
        dispute.next.length === 0 ? (
          <span className="text-sm text-text-2">It is over.</span>
        ) : (
          <MoveForm dispute={dispute} />
        )
      }
    >
      <Money amount={dispute.amount} currency={dispute.currency} code className="font-medium" />
      <span className="text-text-2">{disputeState(dispute.state).word}</span>
      <Status kind="dispute" status={dispute.status} />
      <ObjectLink id={dispute.id} />
      {dispute.respond_by !== null && dispute.status === 'action_required' && (
        <Countdown to={dispute.respond_by} detail={false} />
      )}
    </Line>
  );
}

function MoveForm({ dispute }: { readonly dispute: Listed }) {
  const move = useChange('moveSandboxDispute');
  const refresh = useRefreshAll();
  const [chosen, setChosen] = useState(() => (dispute.next[0] === undefined ? '' : keyOf(dispute.next[0])));
  const to = dispute.next.find((position) => keyOf(position) === chosen);
  return (
    <form
      className="flex items-center gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (to === undefined || move.isPending) return;
        move.mutate(
          { params: { id: dispute.id }, body: to },
          {
            onSuccess: (moved) => toast(`The dispute is now ${positionWords(moved).toLowerCase()}`),
            onError: toastError,
            onSettled: refresh,
          },
        );
      }}
    >
      <Field label={`Next for ${dispute.id}`} quiet>
        <Select
          choices={dispute.next.map((position) => ({
            value: keyOf(position),
            label: positionWords(position),
          }))}
          value={chosen}
          onChange={(event) => setChosen(event.target.value)}
        />
      </Field>
      <Button type="submit" size="sm" busy={move.isPending}>
        Move
      </Button>
    </form>
  );
}
