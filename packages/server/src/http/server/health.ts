import type { FastifyInstance } from 'fastify';

export interface HealthDependencies {
  /**
   * Checks by name. Each resolves with null, or with the problem in a sentence that anyone may read, since `/readyz` is public.
   * The error of a rejection may name hosts, users and folders, so it is not sent but passed to `onError`.
   */
  readonly checks: Readonly<Record<string, () => Promise<string | null>>>;
  /** Called with the first error of a check, and not again until the check has passed. */
  readonly onError: (check: string, error: unknown) => void;
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
export function healthRoutes(app: FastifyInstance, deps: HealthDependencies): void {
  const { draining, elapsed } = deps;
  type Results = Record<string, CheckResult>;
  let running: Promise<Results> | undefined;
  let latest: { readonly results: Results; readonly at: number } | undefined;
  const failing = new Set<string>();
  const look = async () => {
    const results = await runChecks(deps, failing);
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

/** @param failing the names of the checks that threw when they last ran; updated */
async function runChecks(
  { checks, onError }: HealthDependencies,
  failing: Set<string>,
): Promise<Record<string, CheckResult>> {
  const entries = await Promise.all(
    Object.entries(checks).map(async ([name, check]): Promise<[string, CheckResult]> => {
      try {
        const problem = await check();
        failing.delete(name);
        return [name, problem === null ? { ok: true } : { ok: false, error: problem }];
      } catch (error) {
        if (!failing.has(name)) onError(name, error);
        failing.add(name);
        return [name, { ok: false, error: `the ${name} check failed: see the server's log` }];
      }
    }),
  );
  return Object.fromEntries(entries);
}
