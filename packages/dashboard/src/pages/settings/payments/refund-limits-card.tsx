import { useState } from 'react';
import { useCall } from '../../../api/calls.ts';
import { useRefusal } from '../../../api/session.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { ErrorState } from '../../../components/feedback/error-state.tsx';
import { SkeletonLines } from '../../../components/feedback/skeleton.tsx';
import { Card } from '../../../components/layout/card.tsx';
import { Money } from '../../../components/values/money.tsx';
import { roleLabel } from '../roles.ts';
import { RefundLimitsDialog } from './refund-limits-dialog.tsx';
import type { RoleLimits } from './use-refund-limits-form.ts';

/** The maximum amount that each role may refund at once. */
export function RefundLimitsCard() {
  const answer = useCall('retrieveRefundLimits');
  const [editing, setEditing] = useState<RoleLimits>();
  return (
    <Card
      title="Refund limits"
      description="The largest amount that a role may refund at once in the dashboard, in the sandbox and live. Owners and admins have no limit."
    >
      {answer.data !== undefined ? (
        <ul className="divide-y divide-line">
          {answer.data.data.map((limits) => (
            <RoleLine key={limits.role} limits={limits} onEdit={() => setEditing(limits)} />
          ))}
        </ul>
      ) : answer.error === null ? (
        <SkeletonLines of="the refund limits" lines={3} />
      ) : (
        <ErrorState error={answer.error} onRetry={() => void answer.refetch()} />
      )}
      <p className="mt-3 max-w-prose text-sm text-text-2">
        A limit holds for each refund alone: a payment can be refunded in several parts, each within it.
        Refunds by API key are not limited, so give keys only to systems that need them.
      </p>
      <RefundLimitsDialog limits={editing} onClose={() => setEditing(undefined)} />
    </Card>
  );
}

const where = { support: undefined, developer: 'Refunds in the sandbox only.' } as const;

function RoleLine({ limits, onEdit }: { readonly limits: RoleLimits; readonly onEdit: () => void }) {
  const refusal = useRefusal()('updateRefundLimits');
  const role = roleLabel(limits.role);
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-2.5 first:pt-0">
      <div className="min-w-0">
        <p className="font-medium">{role}</p>
        <p className="text-text-2">
          <Summary limits={limits} /> {where[limits.role]}
        </p>
      </div>
      <Button size="sm" unavailable={refusal} onClick={onEdit}>
        Change limits
        <span className="sr-only"> of {role}</span>
      </Button>
    </li>
  );
}

function Summary({ limits: { limits, other_currencies: others } }: { readonly limits: RoleLimits }) {
  if (limits.length === 0) return others === 'unlimited' ? 'No limit.' : 'No refunds.';
  return (
    <>
      At most{' '}
      {limits.map(({ currency, amount }, index) => (
        <span key={currency}>
          {index > 0 && ', '}
          <Money amount={amount} currency={currency} />
        </span>
      ))}
      {others === 'unlimited' ? '; other currencies without a limit.' : '; no refunds in other currencies.'}
    </>
  );
}
