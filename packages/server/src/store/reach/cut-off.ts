import type pg from 'pg';

/** Ends a connection at once: statements that wait for an answer on it fail. */
export function cutOff(client: pg.ClientBase): void {
  // Read the stream only now, because the driver replaces it once the connection is encrypted.
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}
