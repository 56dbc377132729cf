import { useState } from 'react';
import { Axes, BeyondMarks, height, indexAt, leftEdge, margin, yOf } from './axes.tsx';
import { ChartFrame, type ChartProps, colourOf, plainNumber, useWidth } from './chart-frame.tsx';
import { axisMax, beyondAxis, ticks } from './scale.ts';

/** The path through the known values, with a gap at each missing one. */
function pathOf(values: readonly (number | null)[], xOf: (index: number) => number, max: number): string {
  let down = false;
  return values
    .map((value, index) => {
      if (value === null) {
        down = false;
        return '';
      }
      const command = `${down ? 'L' : 'M'}${xOf(index).toFixed(1)} ${yOf(value, max).toFixed(1)}`;
      down = true;
      return command;
    })
    .join('');
}

/** Whether both neighbours of a value are missing. Such a value needs a dot, because no line touches it. */
const isAlone = (values: readonly (number | null)[], place: number) =>
  (values[place - 1] ?? null) === null && (values[place + 1] ?? null) === null;

/** Values over time, one line per series, from zero. */
export function LineChart(props: ChartProps) {
  const { title, labels, series, format = plainNumber, whole = false, summary } = props;
  const [ref, width] = useWidth();
  const [at, setAt] = useState<number>();
  const known = series.flatMap(({ values }) => values.map((value) => value ?? 0));
  const lines = ticks(axisMax(known), whole);
  const max = lines.at(-1) ?? 1;
  const beyond = beyondAxis(
    series.map(({ values }) => values),
    max,
  );
  const left = leftEdge(lines, format);
  const slot = (width - margin.right - left) / Math.max(1, labels.length);
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
          {at !== undefined && (
            <line
              x1={xOf(at)}
              x2={xOf(at)}
              y1={margin.top}
              y2={height - margin.bottom}
              stroke="var(--line-strong)"
              strokeDasharray="3 3"
            />
          )}
          {series.map(({ name, values }, index) => (
            <g key={name}>
              <path
                d={pathOf(values, xOf, max)}
                fill="none"
                stroke={colourOf(index)}
                strokeWidth="2"
                strokeLinejoin="round"
                strokeLinecap="round"
              />
              {values.map(
                (value, place) =>
                  value !== null &&
                  (place === at || isAlone(values, place)) && (
                    <circle
                      key={labels[place]}
                      cx={xOf(place)}
                      cy={yOf(value, max)}
                      r="3.5"
                      fill={colourOf(index)}
                      stroke="var(--surface)"
                      strokeWidth="1.5"
                    />
                  ),
              )}
            </g>
          ))}
          <BeyondMarks beyond={beyond} xOf={xOf} />
        </svg>
      </div>
    </ChartFrame>
  );
}
