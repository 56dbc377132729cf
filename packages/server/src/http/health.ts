import type { FastifyInstance } from 'fastify';

export interface HealthParts {
  /** Named checks; each resolves, or rejects with what is wrong. */
  readonly checks: Readonly<Record<string, () => Promise<void>>>;
  /** True from the moment on that the server is asked to stop. */
  readonly draining: () => boolean;
}

/** `/healthz`: the process lives. `/readyz`: it can serve; 503 with what is wrong where it cannot. */
export function healthRoutes(app: FastifyInstance, parts: HealthParts): void {
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const entries = await Promise.all(
      Object.entries(parts.checks).map(async ([name, check]) => {
        const fault = await check().then(
          () => undefined,
          (error: unknown) => (error instanceof Error ? error.message : 'failed'),
        );
        return [name, fault === undefined ? { ok: true } : { ok: false, error: fault }] as const;
      }),
    );
    const draining = parts.draining();
    const ready = !draining && entries.every(([, result]) => result.ok);
    return reply.code(ready ? 200 : 503).send({ ready, draining, checks: Object.fromEntries(entries) });
  });
}
