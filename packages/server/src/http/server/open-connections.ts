import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Closes connections without a request when the server closes. Node.js only closes those that were kept alive after a response.
 * It would wait for a connection that never sent anything, or whose client still sends the body of a refused request.
 * @param draining while true, each connection is closed after the response to its last request
 */
export function endIdleConnections(app: FastifyInstance, draining: () => boolean): void {
  /** How many requests are in flight on each connection. */
  const open = new Map<Socket, number>();
  app.server.on('connection', (socket) => {
    if (draining()) return void socket.destroy();
    open.set(socket, 0);
    socket.once('close', () => open.delete(socket));
  });
  app.server.on('request', ({ socket }, response) => {
    const before = open.get(socket);
    // A cell receives requests whose connections belong to another server.
    if (before === undefined) return;
    open.set(socket, before + 1);
    response.once('close', () => {
      const left = (open.get(socket) ?? 1) - 1;
      if (open.has(socket)) open.set(socket, left);
      if (left === 0 && draining()) socket.destroySoon();
    });
  });
  app.addHook('preClose', async () => {
    for (const [socket, requests] of open) if (requests === 0) socket.destroy();
  });
}
