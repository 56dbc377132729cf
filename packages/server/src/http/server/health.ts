import type { FastifyInstance } from 'fastify';

export interface HealthDependencies {
  /** Checks by name; each resolves, or rejects with the problem. */
  readonly checks: Readonly<Record<string, () => Promise<void>>>;
  /** True once the server has been asked to stop. */
  readonly draining: () => boolean;
  /** Milliseconds of a monotonic clock. */
  readonly elapsed: () => number;
}

interface CheckResult {
  readonly ok: boolean;
  readonly error?: string;
}

/** How long a result is reused, so that any number of probes needs only one database connection. */
const retentionMs = 250;

/** Mounts `/healthz` (the process is alive) and `/readyz` (it can serve requests; otherwise 503 with the problems). */
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
