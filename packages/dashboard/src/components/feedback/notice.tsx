import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { Icon } from '../buttons/icon.tsx';

const looks = {
  bad: 'border-bad/40 bg-bad-soft',
  warn: 'border-warn/40 bg-warn-soft',
  info: 'border-info/40 bg-info-soft',
  good: 'border-good/40 bg-good-soft',
} as const;
const marks = { bad: 'text-bad', warn: 'text-warn', info: 'text-info', good: 'text-good' } as const;

/** A notice at the top of a page: the situation, its consequence and what to do. */
export function Notice({
  tone,
  icon,
  title,
  children,
}: {
  readonly tone: keyof typeof looks;
  readonly icon: LucideIcon;
  readonly title: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <section className={`mb-4 flex gap-3 rounded-lg border px-4 py-3 ${looks[tone]}`}>
      <span className={`mt-0.5 ${marks[tone]}`}>
        <Icon of={icon} className="size-5" />
      </span>
      <div className="min-w-0">
        <h2 className="font-semibold">{title}</h2>
        <div className="mt-0.5 max-w-prose [overflow-wrap:anywhere]">{children}</div>
      </div>
    </section>
  );
}
