import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Ends connections without a request once the server is closed. Node.js ends those only that were kept alive after an answer, and
 * waits for one that never sent anything, or whose client still sends the body of a request that was refused.
 * @param draining then each connection ends with the answer to its last request
 */
export function endIdleConnections(app: FastifyInstance, draining: () => boolean): void {
  /** How many requests are under way on each. */
  const open = new Map<Socket, number>();
  app.server.on('connection', (socket) => {
    if (draining()) return void socket.destroy();
    open.set(socket, 0);
    socket.once('close', () => open.delete(socket));
  });
  app.server.on('request', ({ socket }, response) => {
    const before = open.get(socket);
    // A cell is handed requests on connections of another server.
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
