import { ApiError } from '@till/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Suspend, suspendNothing } from '../../lib/waiting/suspend.ts';
import type { Admission } from './admission.ts';
import { type AwaitedBodies, hasBody } from './awaited-bodies.ts';
import type { Flows } from './flows.ts';
import type { HeldRefusals } from './held-refusals.ts';
import type { Place } from './place.ts';
import type { Refusal } from './waiting-line.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null until the request is admitted, and for a refused request. */
    place: Place | null;
    /** Whether the request presented a known API key or session. */
    authenticated: boolean;
    /** Ends the wait for the request's body; null if nothing waits for it. */
    bodyReceived: (() => void) | null;
    /** Resolves once a form with a file has arrived and the request has its place again; null if the body is no such form. */
    formReceived: Promise<void> | null;
  }
}

/** Returns how a request releases its place to others while it waits. */
export const suspendOf = (request: FastifyRequest): Suspend => request.place?.suspend ?? suspendNothing;

const hasGone = (request: FastifyRequest) => request.raw.destroyed || request.raw.socket.destroyed;

export interface AdmitDependencies {
  readonly admission: Admission;
  readonly bodies: AwaitedBodies;
  readonly flows: Flows;
  readonly held: HeldRefusals;
  /** False while there is no disk space for new data. */
  readonly mayWrite: () => boolean;
  /** Called for each refused request. */
  readonly onRefused: (refusal: Refusal) => void;
}

const readOnly = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Admits requests up to the bounds of `admission`. The others get 503 with `Retry-After` before any work is done for them,
 * authentication included.
 */
export function admitRequests(app: FastifyInstance, deps: AdmitDependencies): void {
  const { admission, flows, mayWrite, onRefused } = deps;
  app.decorateRequest('place', null);
  app.decorateRequest('authenticated', false);
  app.decorateRequest('bodyReceived', null);
  app.decorateRequest('formReceived', null);
  app.addHook('onRequest', (request, reply, done) => {
    const refuse = (refusal: Refusal) => {
      // The body of a request that is refused after a wait is not read.
      if (refusal === 'waited' && !request.raw.complete) void reply.header('connection', 'close');
      request.logFields.refused = true;
      onRefused(refusal);
      done(refusal === 'storage' ? storageFull() : busy());
    };
    if (!readOnly.has(request.method) && !mayWrite()) return refuse('storage');
    const importance = request.routeOptions.config.importance ?? 'ordinary';
    admission.enter(importance, flows.of(request.raw), (outcome) => {
      if (typeof outcome === 'string') return refuse(outcome);
      request.place = outcome;
      if (hasGone(request)) refuse('left');
      else done();
    });
  });
  awaitBodies(app, deps);
  // The work ends with the response; how long the client takes to read it does not count.
  app.addHook('onSend', (request, _reply, payload, done) => {
    request.bodyReceived?.();
    request.place?.leave();
    done(null, payload);
  });
}

/** A request with a slow body holds no place, and the wait for its body has a timeout. */
function awaitBodies(app: FastifyInstance, { bodies, flows, held, onRefused }: AdmitDependencies): void {
  app.addHook('onClose', async () => bodies.close());
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (request.exchange !== null) flows.remember(request.raw, request.exchange.accountId);
    const { raw, place } = request;
    // A destroyed stream neither ends nor fails: its reader would wait for ever and keep the place.
    if (hasGone(request) && hasBody(raw)) return done(refuseToRead(request, 'left', onRefused));
    if (raw.complete || place === null || !hasBody(raw)) return done(null, payload);
    request.bodyReceived = bodies.expect(request);
    place.pause();
    if (request.bodyReceived !== null) return done(null, payload);
    const refuse = () => {
      // The body arrived after all, while the refusal was held back.
      if (request.raw.complete && !hasGone(request)) return done(null, payload);
      // Close the connection instead of waiting for the rest of the body.
      void reply.header('connection', 'close');
      done(refuseToRead(request, 'bodies', onRefused));
    };
    const wait = held.hold();
    if (wait === undefined) refuse();
    else void wait.then(refuse);
  });
  app.addHook('preValidation', (request, _reply, done) => {
    const { raw, place } = request;
    const proceed = (next: () => void) => {
      request.bodyReceived?.();
      if (place === null) next();
      else place.resume(next);
    };
    if (raw.complete || !isForm(request)) return proceed(done);
    // The handler itself reads a form with a file, and holds no place until the form has arrived.
    request.formReceived = new Promise((resolve) => {
      raw.once('end', () => proceed(resolve));
    });
    done();
  });
}

/** Records why a body is not read. @returns the error to answer with */
function refuseToRead(
  { logFields }: FastifyRequest,
  refusal: Refusal,
  onRefused: AdmitDependencies['onRefused'],
): ApiError {
  logFields.refused = true;
  onRefused(refusal);
  return busy();
}

/** Only requests to routes that take a file have this method. */
const isForm = (request: { isMultipart?: () => boolean }) => request.isMultipart?.() === true;

/** The answer to a request that is refused because of overload. */
export const busy = () =>
  new ApiError(
    'service_unavailable',
    'Too many requests are being worked on. Nothing was done for this one: retry it, with the same Idempotency-Key.',
    { retryAfterSeconds: 1 },
  );

const storageFull = () =>
  new ApiError(
    'service_unavailable',
    'Nothing new can be taken on at the moment. Nothing was done for this request: retry it, with the same Idempotency-Key.',
    { retryAfterSeconds: 5 },
  );
