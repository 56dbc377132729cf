/** Round numbers from 0 to at least `most`, at most `lines` + 1 of them: the lines of a chart. */
export function ticks(most: number, lines = 4): number[] {
  if (!(most > 0)) return [0, 1];
  const rough = most / lines;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough * (1 - 1e-9)) ?? 10) * power;
  const count = Math.ceil(most / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

/** Every how many labels one is written, so that each has `room` pixels. */
export const labelStep = (labels: number, width: number, room: number): number =>
  Math.max(1, Math.ceil((labels * room) / Math.max(1, width)));
