import { ApiError, type Provider, providers } from '@till/contract';
import type { NotificationRoute } from '@till/sandbox';
import { type NotificationRequest, readNotificationPath } from '../processors/port/notifications.ts';
import { isUnavailable } from '../store/database.ts';

/** Receives a processor's notification. @returns the response body @throws ApiError if it is refused */
type Receive = (processor: Provider, accountId: string, request: NotificationRequest) => Promise<string>;

/**
 * Passes the simulators' notifications to this same server, with the headers and body that a network would carry. It bypasses
 * only the HTTP server, which took a fifth of Node's CPU time for a sandbox payment (docs/performance.md).
 * @param onUnexpected called for an error that is neither a refusal nor an unavailable database; the simulator sends the
 * notification again
 */
export const inProcessDelivery =
  (receive: Receive, onUnexpected: (error: unknown) => void): NotificationRoute['send'] =>
  async ({ url, headers, body }) => {
    const to = readNotificationPath(new URL(url).pathname);
    const processor = providers.find((one) => one === to?.processor);
    if (to === null || processor === undefined) return answer(404);
    try {
      const lowerCase = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
      const request = { headers: Object.fromEntries(lowerCase) as Record<string, string>, body };
      return answer(200, await receive(processor, to.account, request));
    } catch (error) {
      if (error instanceof ApiError) return answer(error.status);
      if (isUnavailable(error)) return answer(503);
      onUnexpected(error);
      return answer(500);
    }
  };

const answer = (status: number, text = '') => ({ status, headers: {}, body: Buffer.from(text) });
