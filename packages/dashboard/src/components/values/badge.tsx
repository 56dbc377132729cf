import type { ReactNode } from 'react';
import { cx } from '../../lib/class-names.ts';
import type { Tone } from '../../lib/wording/status.ts';

export const toneLook: Readonly<Record<Tone, string>> = {
  good: 'bg-good-soft text-good',
  bad: 'bg-bad-soft text-bad',
  warn: 'bg-warn-soft text-warn',
  info: 'bg-info-soft text-info',
  neutral: 'bg-sunken text-text-2',
};

/** A short label, such as a mode, a role or a count. Use `Status` for states. */
export const Badge = ({
  tone = 'neutral',
  className,
  children,
}: {
  readonly tone?: Tone;
  readonly className?: string;
  readonly children: ReactNode;
}) => (
  <span
    className={cx(
      'inline-flex items-center gap-1 rounded-sm px-1.5 py-0.5 align-middle text-xs font-medium whitespace-nowrap',
      toneLook[tone],
      className,
    )}
  >
    {children}
  </span>
);
