import { useProcessor } from '../../api/session.ts';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { Card } from '../../components/layout/card.tsx';
import { Tabs } from '../../components/layout/tabs.tsx';
import { useUrlQuery } from '../../navigation/navigation.tsx';
import { Buyers } from './buyers.tsx';
import { DisputeLab } from './dispute-lab.tsx';
import { Refunds } from './refunds.tsx';
import type { SandboxState } from './state.ts';

const counted = (word: string, count: number) => (count === 0 ? word : `${word} (${count})`);

/**
 * The newest payments, refunds and disputes that wait for a buyer, a bank or an issuer. The person acts in their place
 * here.
 */
export function WaitingPartiesCard({ state }: { readonly state: SandboxState }) {
  const url = useUrlQuery();
  const takesWallets = useProcessor()?.browser_methods.includes('wallet') === true;
  const tabs = [
    {
      id: 'buyers',
      label: counted('Waiting for buyers', state.waiting.length),
      content:
        state.waiting.length === 0 ? (
          <EmptyState title="No payment waits for its buyer">
            Make one with a challenge card{takesWallets ? ', or by wallet' : ''}.
          </EmptyState>
        ) : (
          <Buyers payments={state.waiting} />
        ),
    },
    {
      id: 'refunds',
      label: counted('Pending refunds', state.refunds.length),
      content:
        state.refunds.length === 0 ? (
          <EmptyState title="No refund is pending">
            Refund a payment with the note <code className="font-mono">SIM-REFUND-PENDING</code>: it waits
            until you settle it here.
          </EmptyState>
        ) : (
          <Refunds refunds={state.refunds} />
        ),
    },
    {
      id: 'disputes',
      label: counted('Dispute lab', state.disputes.length),
      content: <DisputeLab state={state} />,
    },
  ];
  const asked = url.get('play');
  return (
    <Card
      title="Play the others"
      description="The newest of each kind. What you do reaches this account as from a processor."
    >
      <Tabs
        label="Who to play"
        tabs={tabs}
        value={tabs.some(({ id }) => id === asked) ? asked : 'buyers'}
        onChange={(play) => url.set({ play: play === 'buyers' ? undefined : play }, { replace: true })}
      />
    </Card>
  );
}
