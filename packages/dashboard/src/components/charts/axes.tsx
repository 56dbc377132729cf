import type { PointerEvent } from 'react';
import { type Beyond, labelStep } from './scale.ts';

export const height = 200;
export const margin = { top: 8, right: 8, bottom: 24, left: 8 } as const;

/**
 * The distance in pixels from the top for a value. `max` is the highest grid line; larger values are drawn at its
 * height.
 */
export const yOf = (value: number, max: number): number =>
  margin.top + (1 - Math.min(1, value / max)) * (height - margin.top - margin.bottom);

/** The index of the group under the pointer, for `count` groups between `left` and `right` pixels. */
export function indexAt(event: PointerEvent<SVGSVGElement>, count: number, left: number, right: number) {
  const box = event.currentTarget.getBoundingClientRect();
  const share = (event.clientX - box.left - left) / Math.max(1, right - left);
  return Math.max(0, Math.min(count - 1, Math.floor(share * count)));
}

/** The left edge of the drawing in pixels, which leaves room for the longest number. */
export const leftEdge = (lines: readonly number[], format: (value: number) => string): number =>
  margin.left + Math.max(...lines.map((line) => format(line).length)) * 6.6 + 6;

/** The horizontal grid lines with their numbers, and the labels below. */
export function Axes({
  lines,
  labels,
  width,
  left,
  xOf,
  format,
}: {
  readonly lines: readonly number[];
  readonly labels: readonly string[];
  readonly width: number;
  readonly left: number;
  readonly xOf: (index: number) => number;
  readonly format: (value: number) => string;
}) {
  const max = lines.at(-1) ?? 1;
  const room = Math.max(...labels.map((label) => label.length), 1) * 6.6 + 16;
  const step = labelStep(labels.length, width - left, room);
  return (
    <g className="fill-text-3 text-[11px] tabular-nums" fill="currentColor">
      {lines.map((line) => (
        <g key={line}>
          <line
            x1={left}
            x2={width - margin.right}
            y1={yOf(line, max)}
            y2={yOf(line, max)}
            stroke="var(--line)"
          />
          <text x={left - 8} y={yOf(line, max) + 4} textAnchor="end">
            {format(line)}
          </text>
        </g>
      ))}
      {labels.map(
        (label, index) =>
          index % step === 0 && (
            <text key={label} x={xOf(index)} y={height - 6} textAnchor="middle">
              {label}
            </text>
          ),
      )}
    </g>
  );
}

/** Arrows at the top, above values that exceed the axis. */
export const BeyondMarks = ({
  beyond,
  xOf,
}: {
  readonly beyond: readonly Beyond[];
  readonly xOf: (index: number) => number;
}) =>
  beyond.map(({ place, value }) => (
    <path
      key={`${place} ${value}`}
      d={`M${xOf(place) - 5} ${margin.top + 3}l5 -8l5 8z`}
      fill="var(--text)"
      stroke="var(--surface)"
    />
  ));
