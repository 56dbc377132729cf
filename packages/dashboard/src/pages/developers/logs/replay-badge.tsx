import { Repeat } from 'lucide-react';
import { Icon } from '../../../components/buttons/icon.tsx';
import { Badge } from '../../../components/values/badge.tsx';

/** Marks a replayed response: the stored response of an earlier request with the same idempotency key. */
export const ReplayBadge = () => (
  <span
    title="Answered from an earlier request with the same idempotency key. Nothing was done twice."
    className="inline-flex align-middle"
  >
    <Badge tone="info">
      <Icon of={Repeat} className="size-3.5" />
      Replay
    </Badge>
  </span>
);
