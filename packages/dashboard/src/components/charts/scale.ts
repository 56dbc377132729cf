/**
 * The ticks of an axis: round numbers from 0 to at least `max`, at most `lines` + 1 of them.
 * @param whole whether the ticks have to be integers, as for counts
 */
export function ticks(max: number, whole = false, lines = 4): number[] {
  if (!(max > 0)) return [0, 1];
  const rough = Math.max(max / lines, whole ? 1 : 0);
  const power = 10 ** Math.floor(Math.log10(rough));
  const isEnough = (factor: number) =>
    factor * power >= rough * (1 - 1e-9) && (!whole || Number.isInteger(factor * power));
  const step = ([1, 2, 2.5, 5, 10].find(isEnough) ?? 10) * power;
  const count = Math.ceil(max / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

/** A value has to be this many times as large as all others to be drawn beyond the axis. */
const outlying = 5;
/** With fewer values it is impossible to say which one is an outlier. */
const min = 5;

/**
 * The value that the axis has to reach: the largest one. If one or two values are more than five times as large as all
 * others, the axis ends at the largest of those others, which would otherwise be a flat line.
 */
export function axisMax(values: readonly number[]): number {
  const sorted = values.filter((value) => value > 0).toSorted((one, other) => other - one);
  for (const outliers of [1, 2]) {
    const usual = sorted[outliers];
    const isFew = sorted.length - outliers < min;
    if (usual !== undefined && !isFew && (sorted[outliers - 1] ?? 0) > outlying * usual) return usual;
  }
  return sorted[0] ?? 0;
}

/** A value beyond the axis, with the index of its label. */
export interface Beyond {
  readonly place: number;
  readonly value: number;
}

/** The values beyond an axis that ends at `max`, in the order of their labels. */
export const beyondAxis = (series: readonly (readonly (number | null)[])[], max: number): Beyond[] =>
  series
    .flatMap((values) => values.map((value, place) => ({ place, value: value ?? 0 })))
    .filter(({ value }) => value > max)
    .toSorted((one, other) => one.place - other.place);

/** The interval between drawn labels that gives each of them `room` pixels. */
export const labelStep = (labels: number, width: number, room: number): number =>
  Math.max(1, Math.ceil((labels * room) / Math.max(1, width)));
