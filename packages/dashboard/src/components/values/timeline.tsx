import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Moment } from '../../lib/amounts/time.ts';
import type { Tone } from '../../lib/wording/status.ts';
import { Icon } from '../buttons/icon.tsx';
import { toneLook } from './badge.tsx';
import { Time } from './time.tsx';

export interface TimelineEntry {
  readonly id: string;
  readonly title: ReactNode;
  readonly at: Moment;
  readonly icon: LucideIcon;
  readonly tone?: Tone;
  readonly detail?: ReactNode;
}

/** A list of events, in the given order. */
export function Timeline({ entries }: { readonly entries: readonly TimelineEntry[] }) {
  return (
    <ol>
      {entries.map(({ id, title, at, icon, tone = 'neutral', detail }) => (
        <li key={id} className="group relative flex gap-3 pb-5 last:pb-0">
          <span
            aria-hidden="true"
            className="absolute top-7 bottom-0 left-3 w-px bg-line group-last:hidden"
          />
          <span className={`grid size-6 shrink-0 place-items-center rounded-full ${toneLook[tone]}`}>
            <Icon of={icon} className="size-3.5" />
          </span>
          <div className="min-w-0 flex-1 pt-0.5">
            <div className="flex flex-wrap justify-between gap-x-4">
              <div className="font-medium [overflow-wrap:anywhere]">{title}</div>
              <Time at={at} show="named" className="text-sm text-text-3" />
            </div>
            {detail !== undefined && <div className="mt-0.5 text-sm text-text-2">{detail}</div>}
          </div>
        </li>
      ))}
    </ol>
  );
}
