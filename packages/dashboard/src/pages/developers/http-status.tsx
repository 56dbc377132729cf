import { CircleCheck, CircleX, type LucideIcon, OctagonAlert, Undo2 } from 'lucide-react';
import { Icon } from '../../components/buttons/icon.tsx';
import { Badge } from '../../components/values/badge.tsx';
import type { Tone } from '../../lib/wording/status.ts';
import { statusWords } from './words.ts';

const looks: readonly (readonly [below: number, tone: Tone, icon: LucideIcon])[] = [
  [300, 'good', CircleCheck],
  [400, 'neutral', Undo2],
  [500, 'warn', OctagonAlert],
  [Number.POSITIVE_INFINITY, 'bad', CircleX],
];

/** An HTTP status with its reason phrase and a tone. */
export function HttpStatus({ status }: { readonly status: number }) {
  const [, tone, icon] = looks.find(([below]) => status < below) ?? [0, 'bad' as const, CircleX];
  return (
    <Badge tone={tone}>
      <Icon of={icon} className="size-3.5" />
      <span className="tabular-nums">{status}</span> {statusWords(status)}
    </Badge>
  );
}
