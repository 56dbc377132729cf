import { after, now } from './clock.ts';
import { createStore } from './store.ts';

/**
 * An outage: the server cannot be reached. Times are milliseconds since 1970. The store holds null if there is no
 * outage.
 */
export interface Outage {
  readonly since: number;
  /** When the next attempt follows. */
  readonly nextTryAt: number;
}

export const outage = createStore<Outage | null>(null);

const firstBackoffMs = 1_000;
const maxBackoffMs = 30_000;
let backoffMs = firstBackoffMs;
let stopWaiting = () => {};
let timesReached = 0;

/** Called when the server has answered. */
export function noteReached(): void {
  timesReached += 1;
  stopWaiting();
  backoffMs = firstBackoffMs;
  if (outage.get() !== null) outage.set(null);
}

/**
 * Called when there was no response, or only one of a proxy whose server is down. Further attempts follow at growing
 * intervals.
 */
function noteUnreachable(): void {
  if (outage.get() !== null) return;
  outage.set({ since: now(), nextTryAt: now() });
  schedule();
}

/**
 * Called when a request starts.
 * @returns a function that reports that it got no response. If the server has answered another request meanwhile, that
 * function first checks whether it is reachable: requests sent during an outage may fail after its end.
 */
export function beginRequest(): () => void {
  const before = timesReached;
  return () => {
    if (before === timesReached) noteUnreachable();
    else void isReachable().then((isThere) => isThere || noteUnreachable());
  };
}

function schedule(): void {
  const known = outage.get();
  if (known === null) return;
  stopWaiting();
  outage.set({ ...known, nextTryAt: now() + backoffMs });
  stopWaiting = after(backoffMs, () => void tryAgain());
  backoffMs = Math.min(backoffMs * 2, maxBackoffMs);
}

/** Checks whether the server is back. */
export async function tryAgain(): Promise<void> {
  if (await isReachable()) noteReached();
  else schedule();
}

/** Tries again as soon as the browser is online again. @returns a function that stops this */
export function tryAgainOnline(): () => void {
  const again = () => {
    if (outage.get() !== null) void tryAgain();
  };
  window.addEventListener('online', again);
  return () => window.removeEventListener('online', again);
}

/** Whether the server answers now. */
export async function isReachable(): Promise<boolean> {
  try {
    return (await fetch('/healthz', { cache: 'no-store' })).ok;
  } catch {
    return false;
  }
}

/** Resolves once the server can be reached; at once if there is no outage. */
export function untilReached(): Promise<void> {
  if (outage.get() === null) return Promise.resolve();
  return new Promise((resolve) => {
    const stop = outage.subscribe(() => {
      if (outage.get() !== null) return;
      stop();
      resolve();
    });
  });
}

/** Whether a response comes from a proxy in front of a server that is down. Responses of the server are JSON. */
const isOfProxy = (response: Response): boolean =>
  [502, 503, 504].includes(response.status) &&
  response.headers.get('content-type')?.includes('json') !== true;

/** `fetch`, extended to record whether the server could be reached. */
export const watchedFetch: typeof fetch = async (...request) => {
  const onUnanswered = beginRequest();
  try {
    const response = await fetch(...request);
    if (isOfProxy(response)) onUnanswered();
    else noteReached();
    return response;
  } catch (error) {
    if (request[1]?.signal?.aborted !== true) onUnanswered();
    throw error;
  }
};
