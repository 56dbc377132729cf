import type { FastifyInstance } from 'fastify';

export interface HealthDependencies {
  /** Named checks; each resolves, or rejects with what is wrong. */
  readonly checks: Readonly<Record<string, () => Promise<void>>>;
  /** True from the moment on that the server is asked to stop. */
  readonly draining: () => boolean;
  /** Milliseconds of a monotonic clock. */
  readonly elapsed: () => number;
}

interface CheckResult {
  readonly ok: boolean;
  readonly error?: string;
}

/** So long one result answers everybody: probes take one connection of the database, however many come. */
const retentionMs = 250;

/** `/healthz`: the process lives. `/readyz`: it can serve; 503 with what is wrong where it cannot. */
export function healthRoutes(app: FastifyInstance, { checks, draining, elapsed }: HealthDependencies): void {
  type Results = Record<string, CheckResult>;
  let running: Promise<Results> | undefined;
  let latest: { readonly results: Results; readonly at: number } | undefined;
  const look = async () => {
    const results = await runChecks(checks);
    latest = { results, at: elapsed() };
    running = undefined;
    return results;
  };
  const check = async () => {
    if (latest !== undefined && elapsed() - latest.at < retentionMs) return latest.results;
    running ??= look();
    return running;
  };
  const vital = { config: { importance: 'vital' } } as const;
  app.get('/healthz', vital, async () => ({ status: 'ok' }));
  app.get('/readyz', vital, async (_request, reply) => {
    const results = await check();
    const isDraining = draining();
    const ready = !isDraining && Object.values(results).every(({ ok }) => ok);
    return reply.code(ready ? 200 : 503).send({ ready, draining: isDraining, checks: results });
  });
}

async function runChecks(checks: HealthDependencies['checks']): Promise<Record<string, CheckResult>> {
  const entries = await Promise.all(
    Object.entries(checks).map(async ([name, check]): Promise<[string, CheckResult]> => {
      try {
        await check();
        return [name, { ok: true }];
      } catch (error) {
        return [name, { ok: false, error: error instanceof Error ? error.message : 'failed' }];
      }
    }),
  );
  return Object.fromEntries(entries);
}
