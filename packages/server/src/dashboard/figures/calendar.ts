import { invalidParam } from '@till/contract';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** A day or month of a calendar, and when it begins. */
export interface CalendarSpan {
  /** `YYYY-MM-DD` or `YYYY-MM`. */
  readonly label: string;
  readonly from: Date;
}

interface LocalDate {
  readonly year: number;
  /** January is 1. */
  readonly month: number;
  readonly day: number;
}

/** The days and months of a time zone. With daylight saving time their length varies. */
export class Calendar {
  readonly #format: Intl.DateTimeFormat;

  /** @throws ApiError `invalid_params` if the zone does not exist */
  constructor(timeZone: string) {
    try {
      this.#format = new Intl.DateTimeFormat('en-US', {
        timeZone,
        hourCycle: 'h23',
        year: 'numeric',
        month: 'numeric',
        day: 'numeric',
        hour: 'numeric',
        minute: 'numeric',
      });
    } catch {
      throw invalidParam('time_zone', 'time_zone must be a time zone that exists, such as Europe/Berlin.');
    }
  }

  /** The days up to and including the one in which `now` lies, oldest first. */
  days(now: Date, count: number): CalendarSpan[] {
    const { year, month, day } = this.#local(now);
    return Array.from({ length: count }, (_, index) =>
      this.#day({ year, month, day: day - count + 1 + index }),
    );
  }

  /** The months up to and including the one in which `now` lies, oldest first. */
  months(now: Date, count: number): CalendarSpan[] {
    const { year, month } = this.#local(now);
    return Array.from({ length: count }, (_, index) => {
      const { label, from } = this.#day({ year, month: month - count + 1 + index, day: 1 });
      return { label: label.slice(0, 7), from };
    });
  }

  /** @param date its month and day may lie outside the calendar: day 0 is the last day of the previous month */
  #day({ year, month, day }: LocalDate): CalendarSpan {
    const midnight = new Date(Date.UTC(year, month - 1, day));
    return { label: midnight.toISOString().slice(0, 10), from: this.#beginning(midnight) };
  }

  /**
   * When a day begins: at midnight or, if the zone's clock skips midnight, when it jumps past it.
   * @param midnight as if in UTC
   */
  #beginning(midnight: Date): Date {
    const wall = midnight.getTime();
    const around = [-24, 24].map((hours) => wall - this.#offset(new Date(wall + hours * hourMs)));
    const fitting = around.filter((time) => this.#offset(new Date(time)) === wall - time);
    return new Date(fitting.length > 0 ? Math.min(...fitting) : Math.max(...around));
  }

  /** By how many milliseconds the zone's clock is ahead of UTC. */
  #offset(time: Date): number {
    const { year, month, day, hour, minute } = this.#parts(time);
    const wall = Date.UTC(year, month - 1, day, hour, minute);
    return wall - Math.floor(time.getTime() / minuteMs) * minuteMs;
  }

  #local(time: Date): LocalDate {
    const { year, month, day } = this.#parts(time);
    return { year, month, day };
  }

  #parts(time: Date) {
    const parts = new Map(
      this.#format.formatToParts(time).map(({ type, value }): [string, number] => [type, Number(value)]),
    );
    const read = (name: string) => parts.get(name) ?? 0;
    return {
      year: read('year'),
      month: read('month'),
      day: read('day'),
      hour: read('hour'),
      minute: read('minute'),
    };
  }
}
