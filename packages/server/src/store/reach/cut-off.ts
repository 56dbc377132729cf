import type pg from 'pg';

/** Ends a connection at once: what waits for an answer on it fails. */
export function cutOff(client: pg.ClientBase): void {
  // Read here, since the stream is another one once it is encrypted.
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}
