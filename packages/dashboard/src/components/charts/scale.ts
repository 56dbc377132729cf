/**
 * The ticks of an axis: round numbers from 0 to at least `max`, at most `lines` + 1 of them.
 * @param whole whether they have to be integers, as for counts
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

/** How many times as large as all others a value has to be, so that the axis ends below it. */
const outlying = 5;
/** Of fewer values nobody can say what is usual. */
const min = 5;

/**
 * The value that an axis has to reach: the largest, or, where one or two are more than five times as large as all the others,
 * the largest of those others, which would be a flat line otherwise.
 */
export function axisMost(values: readonly number[]): number {
  const sorted = values.filter((value) => value > 0).toSorted((one, other) => other - one);
  for (const outliers of [1, 2]) {
    const usual = sorted[outliers];
    const isFew = sorted.length - outliers < min;
    if (usual !== undefined && !isFew && (sorted[outliers - 1] ?? 0) > outlying * usual) return usual;
  }
  return sorted[0] ?? 0;
}

/** A value above the axis, with the place of its label. */
export interface Beyond {
  readonly place: number;
  readonly value: number;
}

/** The values above an axis that ends at `max`, in the order of their labels. */
export const beyondAxis = (series: readonly (readonly (number | null)[])[], max: number): Beyond[] =>
  series
    .flatMap((values) => values.map((value, place) => ({ place, value: value ?? 0 })))
    .filter(({ value }) => value > max)
    .toSorted((one, other) => one.place - other.place);

/** The interval between labels that are drawn, so that each has `room` pixels. */
export const labelStep = (labels: number, width: number, room: number): number =>
  Math.max(1, Math.ceil((labels * room) / Math.max(1, width)));
