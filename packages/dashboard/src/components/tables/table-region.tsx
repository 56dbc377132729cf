import { type CSSProperties, type ReactNode, useEffect, useRef, useState } from 'react';
import { ScrollRegion } from '../layout/scroll-region.tsx';

/**
 * Wraps a wide table. A table that fits scrolls with the page, and its headings stick below the bars of the page. A
 * wider table scrolls sideways inside the region, also by keyboard.
 */
export function TableRegion({
  label,
  busy,
  children,
}: {
  readonly label: string;
  readonly busy: boolean;
  readonly children: ReactNode;
}) {
  const ref = useRef<HTMLDivElement>(null);
  const [fits, setFits] = useState(true);
  useEffect(() => {
    const room = ref.current;
    const table = room?.querySelector('table');
    if (room == null || table == null) return undefined;
    const observer = new ResizeObserver(() => setFits(table.scrollWidth <= room.clientWidth + 1));
    observer.observe(room);
    observer.observe(table);
    return () => observer.disconnect();
  }, []);
  return (
    <div ref={ref} style={{ '--table-top': fits ? 'var(--top)' : '0px' } as CSSProperties}>
      <ScrollRegion label={label} busy={busy} scrolls={!fits} className={fits ? '' : 'overflow-x-auto'}>
        {children}
      </ScrollRegion>
    </div>
  );
}
