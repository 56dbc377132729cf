import { connect } from 'node:net';
import type { CleanUp } from './clean-up.ts';

/** Requests whose bodies are never completed. */
export interface HalfSent {
  /** Number of requests that were sent up to the point where they stop. */
  readonly sent: number;
  /** Statuses of the responses so far. 0 for a connection that ended without a response. */
  readonly statuses: readonly number[];
  /** Number of connections that are still open. */
  readonly stillOpen: () => number;
}

/**
 * Opens `count` connections and sends on each the head of a request with the first byte of its body.
 * @param heads request lines with headers, used round robin
 */
export async function sendIncomplete(
  { baseUrl }: { readonly baseUrl: string },
  count: number,
  heads: readonly string[],
  cleanUp: CleanUp,
): Promise<HalfSent> {
  const { hostname, host, port } = new URL(baseUrl);
  const statuses: number[] = [];
  let open = 0;
  const one = (head: string) =>
    new Promise<void>((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port) });
      cleanUp.add(() => void socket.destroy());
      let answer = '';
      socket.on('error', reject);
      socket.on('connect', () => {
        open += 1;
        socket.write(`${head}\r\nHost: ${host}\r\nContent-Length: 100\r\n\r\n{`, () => resolve());
      });
      socket.on('data', (chunk: Buffer) => {
        answer += chunk.toString('latin1');
      });
      socket.on('end', () => socket.end());
      socket.on('close', () => {
        open -= 1;
        statuses.push(Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0));
      });
    });
  await Promise.all(Array.from({ length: count }, (_, index) => one(heads[index % heads.length] ?? '')));
  return { sent: count, statuses, stillOpen: () => open };
}

/**
 * Sends complete requests and resets their connections at once, usually while the server looks up their keys
 * or sessions.
 * @param each number of requests per head
 * @param heads request lines with headers
 */
export async function sendAndReset(
  { baseUrl }: { readonly baseUrl: string },
  each: number,
  heads: readonly string[],
): Promise<void> {
  const { hostname, host, port } = new URL(baseUrl);
  const one = (head: string) =>
    new Promise<void>((resolve) => {
      const socket = connect({ host: hostname, port: Number(port) });
      socket.on('error', () => {});
      socket.on('close', () => resolve());
      const request = `${head}\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`;
      socket.write(request, () => setImmediate(() => socket.resetAndDestroy()));
    });
  await Promise.all(heads.flatMap((head) => Array.from({ length: each }, () => one(head))));
}
