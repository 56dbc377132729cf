import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Admission, Refusal } from './admission.ts';
import { busy, importanceOf } from './admit.ts';
import { type AppParts, commonHeaders, errorText, helpLink } from './app.ts';

/** The route of the operations on one payment; every other path stands for itself. */
const routeOf = (url: string) =>
  (url.split('?', 1)[0] ?? '').replace(/^(\/api\/v1\/payments\/)[^/]+(?=\/)/, '$1:id');

/**
 * Refuses at the door what `admitRequests` would refuse after the framework has taken the request apart: that costs as
 * much as a tenth of a payment, and ten times as many requests as there is room for would leave nothing for the others.
 * @param draining then every request goes on, to be told that its connection ends
 */
export function turnAwayAtTheDoor(
  app: FastifyInstance,
  parts: AppParts,
  {
    admission,
    draining,
    delay,
    onRefused,
  }: {
    readonly admission: Admission;
    readonly draining: () => boolean;
    readonly delay: (ms: number) => Promise<void>;
    readonly onRefused: (refusal: Refusal) => void;
  },
): void {
  const server: Server = app.server;
  const [goOn] = server.listeners('request') as RequestListener[];
  if (goOn === undefined) throw new Error('the server has no listener yet');
  server.removeListener('request', goOn);
  let held = 0;
  // A stop that began meanwhile must not wait for what else such a connection might bring.
  const answerRefused = (url: string, response: ServerResponse) =>
    refuse(parts, url, response, draining() ? { connection: 'close' } : {});
  const refuseLater = async (url: string, response: ServerResponse) => {
    held += 1;
    await delay(heldMs);
    held -= 1;
    answerRefused(url, response);
  };
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url = '' } = request;
    const refusal = draining() ? null : admission.wouldRefuse(importanceOf(method, routeOf(url)));
    if (refusal === null) return goOn(request, response);
    onRefused(refusal);
    if (held >= mostHeld) answerRefused(url, response);
    else void refuseLater(url, response);
  });
}

function refuse(
  parts: AppParts,
  url: string,
  response: ServerResponse,
  more: Readonly<Record<string, string>>,
): void {
  if (response.destroyed) return;
  const id = parts.newRequestId();
  const text = errorText(refused, parts.baseUrl(), id);
  response.writeHead(refused.status, {
    ...commonHeaders(parts, id, url),
    'retry-after': String(refused.retryAfterSeconds ?? 1),
    link: helpLink(parts.baseUrl(), refused.code),
    'content-length': String(Buffer.byteLength(text)),
    ...more,
  });
  response.end(text);
}

/**
 * A refusal is held back for so long, so that clients which ask again at once, whatever `Retry-After` says, do not take
 * the time of those that were let in. So many wait at most; further ones hear at once.
 */
const heldMs = 400;
const mostHeld = 2_000;

/** One for all: most of what an error costs is the record of where it was made. */
const refused = busy();
