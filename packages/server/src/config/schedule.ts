const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const mostGaps = 50;
/** Attempts are kept for as long. */
const longestGapMs = 30 * 24 * 3_600_000;

/** Gaps such as `5s,5m,2h`; a number alone means seconds. A 0 at the beginning stands for the first attempt itself. */
export function parseSchedule(text: string): number[] | undefined {
  const gaps = text.split(',').map((part) => {
    const [, number, unit = 's'] = /^(\d{1,9})(ms|s|m|h)?$/.exec(part.trim()) ?? [];
    return number === undefined ? Number.NaN : Number(number) * (unitMs[unit] ?? Number.NaN);
  });
  if (gaps[0] === 0) gaps.shift();
  const areValid = gaps.every((gap) => gap <= longestGapMs) && gaps.length <= mostGaps;
  return areValid ? gaps : undefined;
}
