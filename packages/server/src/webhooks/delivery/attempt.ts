import { thinEvent } from '../../events/thin.ts';
import { type Clock, unixSeconds } from '../../lib/clock.ts';
import type { RandomBytes } from '../../lib/ids.ts';
import { activeSpan, inChild } from '../../lib/tracing/span.ts';
import { userAgent } from '../../lib/version.ts';
import { endpointPlace } from '../../vault/places.ts';
import type { SecretVault } from '../dependencies.ts';
import { signatureHeaders } from '../endpoints/sign.ts';
import type { ClaimedDelivery, EndedAttempt } from './delivery-store.ts';
import { nextAttempt } from './schedule.ts';
import type { Exchange, WebhookRequest, WebhookTransport } from './transport.ts';

export interface AttemptDependencies {
  readonly vault: Pick<SecretVault, 'open'>;
  readonly transport: Pick<WebhookTransport, 'send'>;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  /** Records an attempt as a trace; if absent, no trace is recorded. */
  readonly traced?: (<T>(delivery: ClaimedDelivery, work: () => Promise<T>) => Promise<T>) | undefined;
  /** Gaps between the attempts, in milliseconds. */
  readonly schedule: readonly number[];
}

const isSuccess = (exchange: Exchange) =>
  'answer' in exchange && exchange.answer.status >= 200 && exchange.answer.status < 300;

/** A random number from 0 to 1. */
function chance(randomBytes: RandomBytes): number {
  return Buffer.from(randomBytes(4)).readUInt32BE(0) / 0xffff_ffff;
}

/** The endpoint's signing secret, and the secret that it replaced if that still signs. @param now real time */
async function secretsOf({ vault }: AttemptDependencies, delivery: ClaimedDelivery, now: Date) {
  const { account_id: accountId, previous_secret: sealed, previous_key_version: version } = delivery;
  const place = endpointPlace(accountId, delivery.endpoint_id);
  const secret = await vault.open(accountId, place, delivery.secret, delivery.key_version);
  const signs = sealed !== null && version !== null && (delivery.previous_secret_until ?? now) > now;
  return { secret, former: signs ? await vault.open(accountId, place, sealed, version) : undefined };
}

/**
 * Sends a delivery once and decides what follows. Rejects only for a fault of our own.
 * @param delivery claimed; `tries` is the number of this attempt
 */
export function attemptDelivery(deps: AttemptDependencies, delivery: ClaimedDelivery): Promise<EndedAttempt> {
  const attempting = () => attempt(deps, delivery);
  return deps.traced === undefined ? attempting() : deps.traced(delivery, attempting);
}

async function attempt(deps: AttemptDependencies, delivery: ClaimedDelivery): Promise<EndedAttempt> {
  const startedAt = deps.clock.now();
  const { secret, former } = await secretsOf(deps, delivery, startedAt);
  const body = delivery.payload === 'thin' ? thinEvent(delivery.body) : delivery.body;
  const message = { id: delivery.event_id, timestamp: unixSeconds(startedAt), body };
  const requestHeaders = {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': userAgent,
    'accept-encoding': 'identity',
    ...signatureHeaders(secret, message, former),
    ...activeSpan()?.headers(),
  };
  const began = deps.clock.elapsed();
  const exchange = await send(deps, { url: delivery.url, headers: requestHeaders, body });
  const durationMs = deps.clock.elapsed() - began;
  const endedAt = deps.clock.now();
  const answer = 'answer' in exchange ? exchange.answer : null;
  const nextAttemptAt = isSuccess(exchange)
    ? null
    : nextAttempt(deps.schedule, {
        failures: delivery.attempts + 1,
        now: endedAt,
        chance: chance(deps.randomBytes),
        retryAfter: answer?.headers['retry-after'],
      });
  return {
    delivery,
    state: isSuccess(exchange) ? 'succeeded' : nextAttemptAt === null ? 'failed' : 'pending',
    nextAttemptAt,
    startedAt,
    endedAt,
    durationMs,
    requestHeaders,
    status: answer?.status ?? null,
    answerHeaders: answer?.headers ?? null,
    answerBody: answer?.body ?? null,
    error: 'error' in exchange ? exchange.error : null,
  };
}

/** Sends the request as a child span of the attempt. A receiver's URL may hold a secret, so the span records its host only. */
function send({ transport }: AttemptDependencies, request: WebhookRequest): Promise<Exchange> {
  if (activeSpan() === undefined) return transport.send(request);
  const attributes = { 'http.request.method': 'POST', 'server.address': new URL(request.url).hostname };
  return inChild({ name: 'POST', kind: 'client', attributes }, async (span) => {
    const exchange = await transport.send(request);
    const status = 'answer' in exchange ? exchange.answer.status : null;
    const failure = status === null ? 'no_answer' : status >= 400 ? String(status) : null;
    span?.set({
      ...(status === null ? {} : { 'http.response.status_code': status }),
      ...(failure === null ? {} : { 'error.type': failure }),
    });
    return exchange;
  });
}
