/** The merchants' webhook receivers, in a separate process. Plain sockets and a minimal parser spare the shared cores. */
import { createServer, type Socket } from 'node:net';

/** A message to the receivers' process. */
export type ReceiverQuestion =
  /** Forgets the received deliveries. */
  | { readonly kind: 'forget' }
  /** Forgets the received deliveries, and reports once this many have arrived. */
  | { readonly kind: 'expect'; readonly deliveries: number }
  /** Asks for the arrival times of each payment's webhooks. */
  | { readonly kind: 'arrivals' };

export type ReceiverAnswer =
  | { readonly kind: 'listening'; readonly port: number; readonly deadPort: number }
  /** The first delivery has arrived. */
  | { readonly kind: 'begun' }
  /** Times in milliseconds since the epoch. */
  | { readonly kind: 'complete'; readonly first: number; readonly last: number }
  | { readonly kind: 'arrivals'; readonly arrivals: readonly (readonly [payment: string, at: number])[] };

const headEnd = Buffer.from('\r\n\r\n');
const answer = Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
const lengthOf = /^content-length: *(\d+)/im;
const paymentOf = /"object":\{"id":"(pay_[a-z0-9]+)"/;

let expected = Number.POSITIVE_INFINITY;
let count = 0;
let first = 0;
let arrivals: [string, number][] = [];

const report = (message: ReceiverAnswer) => void process.send?.(message);

function note(body: string): void {
  const now = Date.now();
  if (count === 0) {
    first = now;
    report({ kind: 'begun' });
  }
  count += 1;
  arrivals.push([paymentOf.exec(body)?.[1] ?? '', now]);
  if (count === expected) report({ kind: 'complete', first, last: now });
}

function serve(socket: Socket): void {
  let pending = Buffer.alloc(0);
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    for (;;) {
      const end = pending.indexOf(headEnd);
      if (end < 0) return;
      const length = Number(lengthOf.exec(pending.toString('latin1', 0, end))?.[1] ?? 0);
      const next = end + headEnd.length + length;
      if (pending.length < next) return;
      note(pending.toString('utf8', end + headEnd.length, next));
      pending = pending.subarray(next);
      socket.write(answer);
    }
  });
}

const server = createServer(serve);
/** A server that accepts everything and never responds. */
const dead = createServer((socket) => void socket.on('error', () => {}).resume());
const portOf = (one: typeof server) => (one.address() as { port: number }).port;
server.listen(0, '127.0.0.1', () =>
  dead.listen(0, '127.0.0.1', () =>
    report({ kind: 'listening', port: portOf(server), deadPort: portOf(dead) }),
  ),
);

process.on('message', (question: ReceiverQuestion) => {
  if (question.kind === 'arrivals') {
    report({ kind: 'arrivals', arrivals });
    return;
  }
  expected = question.kind === 'expect' ? question.deliveries : Number.POSITIVE_INFINITY;
  count = 0;
  arrivals = [];
});
process.on('disconnect', () => process.exit());
process.on('SIGINT', () => {});
