/**
 * Round numbers from 0 to at least `most`, at most `lines` + 1 of them: the lines of a chart.
 * @param whole whether they have to be whole numbers, as of what is counted
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

/** Every how many labels one is written, so that each has `room` pixels. */
export const labelStep = (labels: number, width: number, room: number): number =>
  Math.max(1, Math.ceil((labels * room) / Math.max(1, width)));
