import { ApiError } from '@till/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Admission, Importance, Place, Refusal } from './admission.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null before the request was let in, and for one that was not. */
    place: Place | null;
  }
}

const movesMoney =
  /^\/api\/v1\/payments(?:\/:[a-z_]+\/(?:confirm|capture|void|refunds))?$|^\/checkout\/(?:pay|return)\//;
const health = new Set(['/healthz', '/readyz']);

/** What a route gives way to, by its method and pattern. */
export function importanceOf(method: string, route: string | undefined): Importance {
  if (route === undefined) return 'ordinary';
  if (health.has(route)) return 'vital';
  // A buyer who comes back from the bank does so by a plain link.
  const mayMove = method === 'POST' || route.startsWith('/checkout/return/');
  return mayMove && movesMoney.test(route) ? 'money' : 'ordinary';
}

const hasGone = (request: FastifyRequest) => request.raw.destroyed || request.raw.socket.destroyed;

export interface AdmitParts {
  readonly admission: Admission;
  /** False while there is no room to keep anything new. */
  readonly mayWrite: () => boolean;
  /** Told of each request that was not let in. */
  readonly onRefused: (refusal: Refusal) => void;
}

const readOnly = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Lets requests in up to the bounds of `admission`. The others get 503 with `Retry-After` before anything is done for
 * them, authentication included.
 */
export function admitRequests(app: FastifyInstance, { admission, mayWrite, onRefused }: AdmitParts): void {
  app.decorateRequest('place', null);
  app.addHook('onRequest', (request, _reply, done) => {
    const refuse = (refusal: Refusal) => {
      request.logFields.refused = true;
      onRefused(refusal);
      done(refusal === 'storage' ? noRoom() : busy());
    };
    if (!readOnly.has(request.method) && !mayWrite()) return refuse('storage');
    admission.enter(importanceOf(request.method, request.routeOptions.url), (outcome) => {
      if (typeof outcome === 'string') return refuse(outcome);
      request.place = outcome;
      if (hasGone(request)) refuse('left');
      else done();
    });
  });
  // A body that comes slowly must not take a place from others.
  app.addHook('preParsing', (request, _reply, payload, done) => {
    if (!request.raw.complete) request.place?.pause();
    done(null, payload);
  });
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.place === null) done();
    else request.place.resume(done);
  });
  // The work is over once there is an answer; how long a client takes to read it is not ours.
  app.addHook('onSend', (request, _reply, payload, done) => {
    request.place?.leave();
    done(null, payload);
  });
}

/** What a request hears that is not let in. */
export const busy = () =>
  new ApiError(
    'service_unavailable',
    'Too many requests are being worked on. Nothing was done for this one: retry it, with the same Idempotency-Key.',
    { retryAfterSeconds: 1 },
  );

const noRoom = () =>
  new ApiError(
    'service_unavailable',
    'Nothing new can be taken on at the moment. Nothing was done for this request: retry it, with the same Idempotency-Key.',
    { retryAfterSeconds: 5 },
  );
