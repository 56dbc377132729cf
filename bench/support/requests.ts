import type { GeneratorJob } from './generator.ts';
import { httpText, slot } from './http-text.ts';
import type { Round } from './load-process.ts';
import { paymentBody, type Seed, type Shop, type Till } from './till.ts';

export interface Request extends Pick<GeneratorJob, 'port' | 'request' | 'values' | 'expect'> {
  /** The maximum number of connections. */
  readonly max?: number;
}

/** With 64 clients that request lists in a loop, a slow machine refuses some: each would wait for longer than 20 ms. */
export const maxListConnections = 32;
/** The pages that are listed in turn: the server reads a page only once for concurrent requests for the same page. */
const pages = Array.from({ length: 50 }, (_none, index) => String(index + 1));

/** One measurement of a round. Each figure of Till is measured next to its baseline. */
export interface Course {
  readonly label: string;
  readonly run: (warmupMs: number, measureMs: number) => Promise<Round>;
}

export function tillRequests(till: Till, seed: Seed) {
  const authorization = `Bearer ${till.secretKey}`;
  const create = createRequest(till);
  const body = '"status":"succeeded"';
  return {
    create,
    get: {
      port: till.port,
      request: httpText('GET', `/api/v1/payments/${slot}`, { authorization }),
      values: seed.ids,
      expect: { status: 200, head: '', body },
    },
    list: {
      port: till.port,
      request: httpText('GET', `/api/v1/payments?per_page=20&page=${slot}`, { authorization }),
      values: pages,
      max: maxListConnections,
      expect: { status: 200, head: '', body: '"object":"list"' },
    },
    replay: {
      ...create,
      values: seed.keys,
      expect: { status: 201, head: 'idempotent-replayed: true', body },
    },
  } satisfies Record<string, Request>;
}

export const createRequest = ({ port, secretKey }: Shop): Request => ({
  port,
  request: httpText(
    'POST',
    '/api/v1/payments',
    { authorization: `Bearer ${secretKey}`, 'idempotency-key': slot },
    paymentBody(slot),
  ),
  values: null,
  expect: { status: 201, head: '', body: '"status":"succeeded"' },
});

/** Requests to the bare server, with the same headers and body. Its responses have the same fields as Till's. */
export function bareRequests(port: number, seed: Seed) {
  const authorization = `Bearer ${slot}`;
  const body = '"status":"succeeded"';
  return {
    get: {
      port,
      request: httpText('GET', `/bare/${slot}`, { authorization }),
      values: seed.ids,
      expect: { status: 200, head: '', body },
    },
    list: {
      port,
      request: httpText('GET', `/bare?per_page=20&page=${slot}`, { authorization }),
      values: pages,
      max: maxListConnections,
      expect: { status: 200, head: '', body: '"object":"list"' },
    },
    post: {
      port,
      request: httpText('POST', '/bare', { authorization, 'idempotency-key': slot }, paymentBody(slot)),
      values: seed.keys,
      expect: { status: 201, head: '', body },
    },
  } satisfies Record<string, Request>;
}

type Run = Course['run'];

/** Pairs each read with the same response of the bare server. */
export const besideBare = (
  ofTill: (request: Request) => Run,
  ofBare: (request: Request) => Run,
  [ours, theirs]: readonly [ReturnType<typeof tillRequests>, ReturnType<typeof bareRequests>],
): Course[] => [
  { label: 'retrieve payment', run: ofTill(ours.get) },
  { label: 'bare Fastify GET', run: ofBare(theirs.get) },
  { label: 'idempotent replay', run: ofTill(ours.replay) },
  { label: 'bare Fastify POST', run: ofBare(theirs.post) },
  { label: 'list payments, 50 pages of 20', run: ofTill(ours.list) },
  { label: 'bare Fastify GET of such a page', run: ofBare(theirs.list) },
];
