/** A sparkline beside a figure. It is decorative, because the figure is also there as text. */
export function Sparkline({
  values,
  width = 96,
  height = 28,
}: {
  readonly values: readonly number[];
  readonly width?: number;
  readonly height?: number;
}) {
  const max = Math.max(...values, 1);
  const step = width / Math.max(1, values.length - 1);
  const points = values.map(
    (value, index) =>
      `${(index * step).toFixed(1)},${(height - 2 - (value / max) * (height - 4)).toFixed(1)}`,
  );
  return (
    <svg aria-hidden="true" width={width} height={height} className="min-w-0 shrink">
      <polyline
        points={points.join(' ')}
        fill="none"
        stroke="var(--chart-1)"
        strokeWidth="1.5"
        strokeLinejoin="round"
        strokeLinecap="round"
      />
    </svg>
  );
}
