const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const maxGaps = 50;
/** Delivery attempts are stored for as long as this. */
const maxGapMs = 30 * 24 * 3_600_000;

/** Parses gaps such as `5s,5m,2h`; a number alone means seconds. A leading 0 stands for the first attempt itself. */
export function parseSchedule(text: string): number[] | undefined {
  const gaps = text.split(',').map((part) => {
    const [, number, unit = 's'] = /^(\d{1,9})(ms|s|m|h)?$/.exec(part.trim()) ?? [];
    return number === undefined ? Number.NaN : Number(number) * (unitMs[unit] ?? Number.NaN);
  });
  if (gaps[0] === 0) gaps.shift();
  const areValid = gaps.every((gap) => gap <= maxGapMs) && gaps.length <= maxGaps;
  return areValid ? gaps : undefined;
}
