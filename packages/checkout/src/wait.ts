import { after, announce, dataOf, elapsedSeconds, find } from './dom.ts';

const firstGap = 1;
const longestGap = 5;
const patienceSeconds = 30;

/** What the server says of the payment while a page waits. */
type Standing = 'waiting' | 'processing' | 'ended';

async function ask(address: string): Promise<Standing | null> {
  try {
    const response = await fetch(address, { cache: 'no-store', headers: { accept: 'application/json' } });
    const { state } = (await response.json()) as { state?: Standing };
    return response.ok && state !== undefined ? state : null;
  } catch {
    return null;
  }
}

/** Asks at growing gaps until the payment has moved on, then goes to where that is shown. */
export function pollUntil(address: string, hasMoved: (state: Standing) => boolean, moved: () => void): void {
  const look = async (gap: number): Promise<void> => {
    const state = await ask(address);
    if (state !== null && hasMoved(state)) moved();
    else after(gap, () => void look(Math.min(gap * 1.5, longestGap)));
  };
  after(firstGap, () => void look(firstGap * 1.5));
}

/** The page that says "Processing". */
export function waitForAnswer(): void {
  const element = find('processing', HTMLElement);
  if (element === undefined) return;
  after(Math.max(patienceSeconds - elapsedSeconds(), 0), () => announce(dataOf(element, 'slow')));
  pollUntil(
    dataOf(element, 'state'),
    (state) => state !== 'processing',
    () => location.replace(dataOf(element, 'after')),
  );
}
