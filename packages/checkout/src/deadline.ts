import { after, announce, dataOf, elapsedSeconds, find } from './dom.ts';

const minute = 60;

function localTime(iso: string, locale: string, options: Intl.DateTimeFormatOptions): string | null {
  const moment = new Date(iso);
  if (Number.isNaN(moment.getTime())) return null;
  return new Intl.DateTimeFormat(locale, { timeStyle: 'short', hourCycle: 'h23', ...options }).format(moment);
}

/** Shows the times on the page in the time zone of the reader. */
export function localiseTimes(): void {
  for (const time of document.querySelectorAll('time')) {
    const text = localTime(time.dateTime, dataOf(time, 'locale'), { dateStyle: 'medium' });
    if (text !== null) time.textContent = text;
  }
  const deadline = find('deadline', HTMLElement);
  if (deadline === undefined) return;
  const time = localTime(dataOf(deadline, 'until'), dataOf(deadline, 'locale'), {});
  if (time !== null) deadline.textContent = dataOf(deadline, 'text').replace('{time}', time);
}

/** Announces that 5 minutes and then 1 minute are left, and loads the outcome once the deadline has passed. */
export function watchDeadline(): void {
  const element = find('deadline', HTMLElement);
  if (element === undefined) return;
  // Counted from the page load, so that it never ends before the server's own deadline.
  const end = elapsedSeconds() + Number(dataOf(element, 'seconds'));
  const steps = [
    { at: end - 5 * minute, work: () => announce(dataOf(element, 'five')) },
    { at: end - minute, work: () => announce(dataOf(element, 'one')) },
    { at: end, work: () => location.replace(dataOf(element, 'after')) },
  ].filter(({ at }) => at > elapsedSeconds());
  const check = () => {
    const due = steps.filter(({ at }) => at <= elapsedSeconds());
    steps.splice(0, due.length);
    due.at(-1)?.work();
    if (steps.length > 0 && steps[0] !== undefined) {
      after(Math.max(steps[0].at - elapsedSeconds(), 0.1), check);
    }
  };
  check();
}
