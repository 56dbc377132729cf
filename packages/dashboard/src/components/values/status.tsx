import {
  Ban,
  CircleCheck,
  CircleX,
  Clock,
  Hourglass,
  type LucideIcon,
  OctagonAlert,
  Undo2,
} from 'lucide-react';
import { type StatusIcon, type StatusKind, statusLook } from '../../lib/wording/status.ts';
import { Icon } from '../buttons/icon.tsx';
import { Badge } from './badge.tsx';

const icons: Readonly<Record<StatusIcon, LucideIcon>> = {
  done: CircleCheck,
  failed: CircleX,
  waiting: Clock,
  action: OctagonAlert,
  held: Hourglass,
  stopped: Ban,
  back: Undo2,
};

/** The icon of a state, shown beside its word. */
export const statusIcon = (icon: StatusIcon) => <Icon of={icons[icon]} className="size-3.5 shrink-0" />;

/** The state of a payment, refund, dispute, delivery, endpoint or key: an icon, a word and a colour. */
export function Status({ kind, status }: { readonly kind: StatusKind; readonly status: string }) {
  const { word, tone, icon, hint } = statusLook(kind, status);
  return (
    <span title={hint === '' ? undefined : hint} className="inline-flex align-middle">
      <Badge tone={tone}>
        {statusIcon(icon)}
        {word}
      </Badge>
    </span>
  );
}

/** A `Status` with an explanation. */
export function StatusWithHint({ kind, status }: { readonly kind: StatusKind; readonly status: string }) {
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-1">
      <Status kind={kind} status={status} />
      <span className="text-text-2">{statusLook(kind, status).hint}</span>
    </span>
  );
}
