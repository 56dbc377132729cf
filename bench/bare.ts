/** A minimal Fastify server that sends responses of the same size. It is the baseline for Till's reads. */
import Fastify from 'fastify';

const app = Fastify({ logger: false });

process.once('message', ({ answer, list }: { answer: object; list: object }) => {
  app.get('/bare/:id', async () => answer);
  app.get('/bare', async () => list);
  app.post('/bare', async (_request, reply) => reply.code(201).send(answer));
  app.listen({ host: '127.0.0.1', port: 0 }).then(
    (address) => process.send?.({ port: Number(new URL(address).port) }),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
process.on('disconnect', () => process.exit());
process.on('SIGINT', () => {});
