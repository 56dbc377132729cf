import { PackageX } from 'lucide-react';
import type { Answer } from '../../../api/calls.ts';
import { Icon } from '../../../components/buttons/icon.tsx';
import { Badge } from '../../../components/values/badge.tsx';
import { Status } from '../../../components/values/status.tsx';

export type Delivery = Answer<'listDeliveries'>['data'][number];

export const parkedHint =
  'Its attempts ended the process that sends, so it was set aside. Resend it once the receiver was changed.';

/** The state of a delivery. */
export function DeliveryState({ delivery: { state } }: { readonly delivery: Delivery }) {
  if (state !== 'parked') return <Status kind="delivery" status={state} />;
  return (
    <span title={parkedHint}>
      <Badge tone="bad">
        <Icon of={PackageX} className="size-3.5" />
        Set aside
      </Badge>
    </span>
  );
}

/** The mode of a delivery or event. */
export const ModeBadge = ({ livemode }: { readonly livemode: boolean }) => (
  <Badge tone={livemode ? 'info' : 'warn'}>{livemode ? 'Live' : 'Sandbox'}</Badge>
);
