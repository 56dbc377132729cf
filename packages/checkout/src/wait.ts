import { after, announce, dataOf, elapsedSeconds, find } from './dom.ts';

const firstInterval = 1;
const maxInterval = 5;
const slowAfterSeconds = 30;

/** The state of the payment, as the server reports it to a waiting page. */
type PageState = 'waiting' | 'processing' | 'ended';

async function ask(address: string): Promise<PageState | null> {
  try {
    const response = await fetch(address, { cache: 'no-store', headers: { accept: 'application/json' } });
    const { state } = (await response.json()) as { state?: PageState };
    return response.ok && state !== undefined ? state : null;
  } catch {
    return null;
  }
}

/** Polls at growing intervals until the state has changed, then calls `moved`. */
export function pollUntil(address: string, hasMoved: (state: PageState) => boolean, moved: () => void): void {
  const poll = async (interval: number): Promise<void> => {
    const state = await ask(address);
    if (state !== null && hasMoved(state)) moved();
    else after(interval, () => void poll(Math.min(interval * 1.5, maxInterval)));
  };
  after(firstInterval, () => void poll(firstInterval * 1.5));
}

/** Drives the page that says "Processing". */
export function waitForAnswer(): void {
  const element = find('processing', HTMLElement);
  if (element === undefined) return;
  after(Math.max(slowAfterSeconds - elapsedSeconds(), 0), () => announce(dataOf(element, 'slow')));
  pollUntil(
    dataOf(element, 'state'),
    (state) => state !== 'processing',
    () => location.replace(dataOf(element, 'after')),
  );
}
