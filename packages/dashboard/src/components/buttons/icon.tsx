import type { LucideIcon } from 'lucide-react';

export type { LucideIcon } from 'lucide-react';

/** A decorative icon in the size of the adjacent text, which carries the meaning. */
export function Icon({ of: Picture, className = 'size-4' }: { of: LucideIcon; className?: string }) {
  return (
    <Picture className={`shrink-0 ${className}`} strokeWidth={1.75} aria-hidden="true" focusable="false" />
  );
}
