import { FlaskConical } from 'lucide-react';
import { useState } from 'react';
import { useCall } from '../../api/calls.ts';
import { useRefusal, useWorkspace } from '../../api/session.ts';
import { ButtonLink } from '../../components/buttons/button.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { ErrorState } from '../../components/feedback/error-state.tsx';
import { SkeletonLines } from '../../components/feedback/skeleton.tsx';
import { Card } from '../../components/layout/card.tsx';
import { PageHeader } from '../../components/layout/page-header.tsx';
import { usePaths } from '../../navigation/navigation.tsx';
import { ClockCard } from './clock-card.tsx';
import { PaymentCard } from './payment-card.tsx';
import { PayoutCard } from './payout-card.tsx';
import type { SandboxState, Trigger } from './state.ts';
import { TriggerTable } from './trigger-table.tsx';
import { WaitingPartiesCard } from './waiting-parties-card.tsx';

/** The tools of a sandbox. */
export function SandboxPage() {
  return (
    <>
      <PageHeader
        title="Sandbox tools"
        description="Make payments, move the clock, and play buyers, banks and issuers. What happens here happens as through the API: with events, webhooks and mails."
      />
      <Tools />
    </>
  );
}

const refreshEvery = 5000;

function Tools() {
  const workspace = useWorkspace();
  const refusal = useRefusal()('retrieveSandbox');
  const inSandbox = workspace?.livemode === false;
  const state = useCall(
    'retrieveSandbox',
    {},
    { enabled: inSandbox && refusal === undefined, every: refreshEvery, keep: true },
  );
  if (workspace !== undefined && !inSandbox) return <Live />;
  if (workspace !== undefined && refusal !== undefined) {
    return (
      <Card flush>
        <EmptyState icon={FlaskConical} title="Not for your role">
          {refusal} Owners, admins and developers use the sandbox tools.
        </EmptyState>
      </Card>
    );
  }
  if (state.data !== undefined) return <Loaded state={state.data} />;
  return state.error === null ? (
    <Card>
      <SkeletonLines of="the sandbox tools" lines={6} />
    </Card>
  ) : (
    <Card flush>
      <ErrorState error={state.error} onRetry={() => void state.refetch()} />
    </Card>
  );
}

function Live() {
  const paths = usePaths();
  return (
    <Card flush>
      <EmptyState
        icon={FlaskConical}
        title="This workspace is live"
        actions={<ButtonLink to={paths.settings('environment')}>About the environment</ButtonLink>}
      >
        Sandbox tools exist in sandbox workspaces only. Go to one with the switcher at the top of the menu.
      </EmptyState>
    </Card>
  );
}

function Loaded({ state }: { readonly state: SandboxState }) {
  const [trigger, setTrigger] = useState<Trigger>();
  const use = (next: Trigger) => {
    setTrigger(next);
    document.getElementById('make-payment')?.focus();
  };
  return (
    <div className="flex flex-col gap-5">
      <div className="grid items-start gap-5 xl:grid-cols-2">
        <PaymentCard state={state} trigger={trigger} onClear={() => setTrigger(undefined)} />
        <ClockCard state={state} />
      </div>
      <WaitingPartiesCard state={state} />
      <PayoutCard />
      <TriggerTable onUse={use} />
    </div>
  );
}
