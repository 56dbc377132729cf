import { useState } from 'react';
import { Axes, BeyondMarks, height, indexAt, leftEdge, margin, yOf } from './axes.tsx';
import { ChartFrame, type ChartProps, colourOf, plainNumber, useWidth } from './chart-frame.tsx';
import { axisMax, beyondAxis, ticks } from './scale.ts';

interface Bar {
  readonly key: string;
  readonly group: number;
  readonly x: number;
  readonly width: number;
  readonly from: number;
  readonly to: number;
  readonly colour: string;
}

const widest = 40;

/** The positions of the bars, as shares of their group: side by side or stacked. */
function barsOf({ labels, series }: ChartProps, stacked: boolean, left: number, slot: number): Bar[] {
  const room = Math.min(widest * (stacked ? 1 : series.length), slot * 0.7);
  return labels.flatMap((label, group) => {
    let top = 0;
    const start = left + slot * group + (slot - room) / 2;
    return series.map(({ name, values }, index): Bar => {
      const value = values[group] ?? 0;
      const width = stacked ? room : room / series.length;
      const from = stacked ? top : 0;
      top += value;
      const x = stacked ? start : start + width * index;
      return { key: `${label} ${name}`, group, x, width, from, to: from + value, colour: colourOf(index) };
    });
  });
}

function Bars({ stacked, ...props }: ChartProps & { readonly stacked: boolean }) {
  const { title, labels, series, format = plainNumber, whole = false, summary } = props;
  const [ref, width] = useWidth();
  const [at, setAt] = useState<number>();
  const sums = labels.map((_, group) => series.reduce((sum, { values }) => sum + (values[group] ?? 0), 0));
  const heights = stacked ? [sums] : series.map(({ values }) => values);
  const lines = ticks(axisMax(heights.flat().map((value) => value ?? 0)), whole);
  const max = lines.at(-1) ?? 1;
  const beyond = beyondAxis(heights, max);
  const left = leftEdge(lines, format);
  const slot = Math.max(0, width - margin.right - left) / Math.max(1, labels.length);
  const gap = slot > 6 ? 1 : 0;
  const xOf = (index: number) => left + slot * (index + 0.5);
  return (
    <ChartFrame {...props} at={at} beyond={beyond}>
      <div ref={ref}>
        <svg
          role="img"
          aria-label={summary ?? `${title}. Its values stand in the table.`}
          width={width}
          height={height}
          onPointerMove={(event) => setAt(indexAt(event, labels.length, left, width - margin.right))}
          onPointerLeave={() => setAt(undefined)}
        >
          <Axes lines={lines} labels={labels} width={width} left={left} xOf={xOf} format={format} />
          {barsOf(props, stacked, left, slot).map((bar) => (
            <rect
              key={bar.key}
              x={bar.x}
              y={yOf(bar.to, max)}
              width={Math.max(1, bar.width - gap)}
              height={Math.max(0, yOf(bar.from, max) - yOf(bar.to, max))}
              rx={stacked ? 0 : 2}
              fill={bar.colour}
              opacity={at === undefined || at === bar.group ? 1 : 0.45}
            />
          ))}
          <BeyondMarks beyond={beyond} xOf={xOf} />
        </svg>
      </div>
    </ChartFrame>
  );
}

/** Groups of bars, one bar per series. */
export const BarChart = (props: ChartProps) => <Bars {...props} stacked={false} />;

/** Stacked bars: one bar per group, one layer per series. */
export const StackedBar = (props: ChartProps) => <Bars {...props} stacked />;
