import { createServer, type Server } from 'node:http';

/** Closes the server at once, including idle connections, which would keep the process alive. */
export function endMetricsServer(server: Server | undefined): void {
  server?.close();
  server?.closeAllConnections();
}

/** Serves `/metrics` on a separate address, so that it is never public by accident. Rejects if it cannot listen. */
export function startMetricsServer(
  address: { host: string; port: number },
  render: () => Promise<{ contentType: string; text: string }>,
): Promise<{ server: Server; port: number }> {
  const server = createServer((request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    render().then(
      ({ contentType, text }) => response.writeHead(200, { 'content-type': contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(address.port, address.host, () => {
      const bound = server.address();
      resolve({ server, port: typeof bound === 'object' && bound !== null ? bound.port : address.port });
    });
  });
}
