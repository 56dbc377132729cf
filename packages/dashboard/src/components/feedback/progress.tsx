/** A progress bar from 0 to `max`, with a text above it. */
export function Progress({
  label,
  value,
  max,
  text,
}: {
  readonly label: string;
  readonly value: number;
  readonly max: number;
  /** What the numbers mean, e.g. "3 of 7 done". */
  readonly text: string;
}) {
  const share = max === 0 ? 0 : Math.min(1, value / max);
  return (
    <div>
      <div className="mb-1.5 flex justify-between gap-4 text-sm">
        <span className="font-medium">{label}</span>
        <span className="text-text-2 tabular-nums">{text}</span>
      </div>
      <div
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={max}
        aria-valuenow={value}
        aria-valuetext={text}
        className="h-1.5 overflow-hidden rounded-full bg-line"
      >
        <div
          className="h-full rounded-full bg-accent-solid transition-[width]"
          style={{ width: `${share * 100}%` }}
        />
      </div>
    </div>
  );
}
