/**
 * The ticks of an axis: round numbers from 0 to at least `most`, at most `lines` + 1 of them.
 * @param whole whether they have to be integers, as for counts
 */
export function ticks(most: number, whole = false, lines = 4): number[] {
  if (!(most > 0)) return [0, 1];
  const rough = Math.max(most / lines, whole ? 1 : 0);
  const power = 10 ** Math.floor(Math.log10(rough));
  const isEnough = (factor: number) =>
    factor * power >= rough * (1 - 1e-9) && (!whole || Number.isInteger(factor * power));
  const step = ([1, 2, 2.5, 5, 10].find(isEnough) ?? 10) * power;
  const count = Math.ceil(most / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

/** The interval between labels that are drawn, so that each has `room` pixels. */
export const labelStep = (labels: number, width: number, room: number): number =>
  Math.max(1, Math.ceil((labels * room) / Math.max(1, width)));
