import type { IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import Fastify from 'fastify';
import { afterEach, expect, it } from 'vitest';
import { readUpload, uploadScope } from './upload.ts';

let end: () => Promise<unknown> = async () => {};
afterEach(() => end());

it('a form whose client has gone is refused, not waited for', async () => {
  const app = Fastify();
  end = () => app.close();
  let raw: IncomingMessage | undefined;
  let proceed = () => {};
  let refusal: unknown;
  app.addHook('onRequest', async (request) => {
    request.formReceived = null;
  });
  uploadScope(app, (scope) =>
    scope.route({
      method: 'POST',
      url: '/',
      handler: async (request) => {
        ({ raw } = request);
        await new Promise<void>((resolve) => {
          proceed = resolve;
        });
        await readUpload(request, { field: 'file', maxBytes: 1024 }).catch((error: unknown) => {
          refusal = error;
        });
      },
    }),
  );
  await app.listen({ host: '127.0.0.1', port: 0 });
  const socket = connect({ host: '127.0.0.1', port: (app.server.address() as AddressInfo).port });
  socket.write(
    'POST / HTTP/1.1\r\nHost: till\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 100\r\n\r\n--b\r\n',
  );
  await expect.poll(() => raw).toBeDefined();
  socket.destroy();
  await expect.poll(() => raw?.destroyed).toBe(true);
  proceed();
  await expect.poll(() => refusal).toBeDefined();
  expect(refusal).toMatchObject({ code: 'missing_field' });
});
