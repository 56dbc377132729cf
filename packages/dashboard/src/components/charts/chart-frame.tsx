import { ChartNoAxesColumn, Table2 } from 'lucide-react';
import { type ReactNode, type RefObject, useEffect, useId, useRef, useState } from 'react';
import { Button } from '../buttons/button.tsx';
import { ScrollRegion } from '../layout/scroll-region.tsx';
import type { Beyond } from './scale.ts';

/** One series of a chart. `values` are in the order of the labels; null means that the value is missing. */
export interface Series {
  readonly name: string;
  readonly values: readonly (number | null)[];
}

export interface ChartProps {
  /** What the chart shows; the name of the picture and of the table. */
  readonly title: string;
  /** The labels along the bottom: moments or groups. */
  readonly labels: readonly string[];
  readonly series: readonly Series[];
  /** Formats a value: an amount, a percentage, a number. */
  readonly format?: (value: number) => string;
  /** Values are integers, as for counts. */
  readonly whole?: boolean;
  /** A text alternative in one sentence. */
  readonly summary?: string;
}

export const colours = [
  'var(--chart-1)',
  'var(--chart-2)',
  'var(--chart-3)',
  'var(--chart-4)',
  'var(--chart-5)',
  'var(--chart-6)',
  'var(--chart-7)',
] as const;

export const colourOf = (index: number): string => colours[index % colours.length] ?? colours[0];

const plain = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });
export const plainNumber = (value: number): string => plain.format(value);

/** The width of an element in pixels, observed; 0 before the first measurement. */
export function useWidth(): readonly [RefObject<HTMLDivElement | null>, number] {
  const ref = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = ref.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, width];
}

/** The parts that all charts share: title, legend and the switch between chart and table. */
export function ChartFrame({
  title,
  labels,
  series,
  format = plainNumber,
  at,
  beyond,
  children,
}: ChartProps & {
  /** The index of the label under the pointer. The legend shows its values. */
  readonly at: number | undefined;
  /** The values that exceed the axis. */
  readonly beyond: readonly Beyond[];
  readonly children: ReactNode;
}) {
  const [asTable, setAsTable] = useState(false);
  const id = useId();
  return (
    <figure aria-labelledby={id} className="min-w-0">
      <figcaption className="mb-2 flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <span id={id} className="font-medium">
          {title}
        </span>
        <Button
          variant="quiet"
          size="sm"
          icon={asTable ? ChartNoAxesColumn : Table2}
          onClick={() => setAsTable(!asTable)}
        >
          {asTable ? 'Chart' : 'Table'}
          <span className="sr-only"> of {title}</span>
        </Button>
      </figcaption>
      {asTable ? (
        <ChartTable title={title} labels={labels} series={series} format={format} />
      ) : (
        <>
          {children}
          {beyond.length > 0 && (
            <p className="mt-1 text-sm text-text-2 tabular-nums">
              Beyond the axis:{' '}
              {beyond.map(({ place, value }) => `${labels[place]} ${format(value)}`).join(', ')}
            </p>
          )}
          <Legend series={series} format={format} label={at === undefined ? undefined : labels[at]} at={at} />
        </>
      )}
    </figure>
  );
}

function Legend({
  series,
  format,
  label,
  at,
}: {
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
  readonly label: string | undefined;
  readonly at: number | undefined;
}) {
  return (
    <div className="mt-2 flex min-h-5 flex-wrap gap-x-4 gap-y-1 text-sm text-text-2 tabular-nums">
      {label !== undefined && <span className="font-medium text-text">{label}</span>}
      {series.map(({ name, values }, index) => {
        const value = at === undefined ? undefined : values[at];
        return (
          <span key={name} className="inline-flex max-w-full items-center gap-1.5">
            <svg aria-hidden="true" width="10" height="10" className="shrink-0">
              <rect width="10" height="10" rx="3" fill={colourOf(index)} />
            </svg>
            <span className="min-w-0 [overflow-wrap:anywhere]">{name}</span>
            {value != null && <b className="font-medium text-text">{format(value)}</b>}
          </span>
        );
      })}
    </div>
  );
}

function ChartTable({ title, labels, series, format }: Required<Omit<ChartProps, 'summary' | 'whole'>>) {
  return (
    <ScrollRegion label={title} className="max-h-64 overflow-auto rounded-md border border-line">
      <table className="w-full text-sm">
        <caption className="sr-only">{title}</caption>
        <thead className="sticky top-0 bg-sunken text-text-2">
          <tr>
            <td />
            {series.map(({ name }) => (
              <th key={name} scope="col" className="px-3 py-1.5 text-right font-medium">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="tabular-nums">
          {labels.map((label, index) => (
            <tr key={label} className="border-t border-line">
              <th scope="row" className="px-3 py-1 text-left font-normal whitespace-nowrap">
                {label}
              </th>
              {series.map(({ name, values }) => (
                <td key={name} className="px-3 py-1 text-right whitespace-nowrap">
                  {values[index] == null ? '–' : format(values[index])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}
