/** Whether this is the name of a zone in the IANA database. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== undefined;
  } catch {
    return false;
  }
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-CA', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
    formats.set(timeZone, format);
  }
  return format;
}

/** The day and the time of day in a zone: `2026-11-30` and `23:59:59`. */
export function localTime(moment: Date, timeZone: string): { day: string; time: string } {
  const found = Object.fromEntries(
    formatOf(timeZone)
      .formatToParts(moment)
      .map(({ type, value }) => [type, value]),
  );
  return {
    day: `${found.year}-${found.month}-${found.day}`,
    time: `${found.hour}:${found.minute}:${found.second}`,
  };
}

/** Formats a moment for people, with its zone: `20 Nov 2026, 13:00 Europe/Berlin`. */
export function namedTime(moment: Date, timeZone: string): string {
  const { day, time } = localTime(moment, timeZone);
  const [year, , date] = day.split('-');
  const month = new Intl.DateTimeFormat('en-GB', { month: 'short', timeZone }).format(moment);
  return `${Number(date)} ${month} ${year}, ${time.slice(0, 5)} ${timeZone.replaceAll('_', ' ')}`;
}

/** The moment at which a day begins in a zone. @param day the same day's midnight in UTC, in milliseconds */
function startOfDay(day: number, timeZone: string): Date {
  const ahead = (at: number) => {
    const { day: date, time } = localTime(new Date(at), timeZone);
    return Date.parse(`${date}T${time}Z`) - at;
  };
  // Look the offset up twice, since it may change between midnight in UTC and midnight in the zone.
  const found = day - ahead(day - ahead(day));
  // If the clock skips midnight, `found` is an hour too early, on the day before. The day begins after the skipped hour.
  return new Date(found + ahead(found) < day ? day - ahead(day) : found);
}

/** The begin and the (exclusive) end of a month in a zone. @param month such as `2026-11` */
export function monthIn(month: string, timeZone: string): { from: Date; to: Date } {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return {
    from: startOfDay(Date.UTC(year, number - 1, 1), timeZone),
    to: startOfDay(Date.UTC(year, number, 1), timeZone),
  };
}
