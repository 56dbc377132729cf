import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

const seconds = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** The metrics of the server. Account ids are never labels, because their number is unbounded. */
export interface Metrics {
  readonly registry: Registry;
  readonly httpDuration: Histogram<'route' | 'method' | 'status_class'>;
  readonly payments: Counter<'processor' | 'mode' | 'status' | 'failure_code'>;
  readonly refunds: Counter<'processor' | 'mode' | 'status'>;
  readonly processorDuration: Histogram<'processor' | 'operation' | 'outcome'>;
  readonly processorRefused: Counter<'processor' | 'reason'>;
  readonly idempotencyReplays: Counter;
  readonly webhookDuration: Histogram<'outcome'>;
  readonly processorNotifications: Counter<'processor' | 'result'>;
  readonly requestLogs: Counter<'outcome'>;
  readonly refusedRequests: Counter<'reason'>;
  /** Adds gauges for the requests that are worked on and that wait, and for the awaited bodies. */
  observeRequests(
    admission: { readonly working: number; readonly queued: number; readonly waiting: number },
    bodies: { readonly total: number },
  ): void;
  /** Adds a guard of a processor to the gauges of in-flight calls and open breakers. A processor may have several guards. */
  observeProcessor(processor: string, guard: GuardFigures): void;
}

/** The current figures of the guard in front of a processor. */
interface GuardFigures {
  readonly inFlight: number;
  openBreakers(scope: 'account' | 'origin'): number;
}

/** Registers the metrics of this process. */
function observeProcess(registry: Registry, version: string): void {
  collectDefaultMetrics({ register: registry });
  const buildInfo = new Gauge({
    name: 'till_build_info',
    help: 'Version of this server.',
    labelNames: ['version'],
    aggregator: 'max',
    registers: [registry],
  });
  buildInfo.set({ version }, 1);
}

function observePool(registry: Registry, poolInUse: () => number): void {
  const pool = new Gauge({
    name: 'till_db_pool_in_use',
    help: 'Database connections in use.',
    registers: [],
    collect() {
      this.set(poolInUse());
    },
  });
  registry.registerMetric(pool);
}

/** The metrics of the server's load and of refused requests. */
function requestMetrics(registry: Registry): Pick<Metrics, 'refusedRequests' | 'observeRequests'> {
  const observe = (name: string, help: string, read: () => number) =>
    registry.registerMetric(
      new Gauge({
        name,
        help,
        registers: [],
        collect() {
          this.set(read());
        },
      }),
    );
  return {
    refusedRequests: new Counter({
      name: 'till_requests_refused_total',
      help: 'Requests that were answered 503 because there was too much to do.',
      labelNames: ['reason'],
      registers: [registry],
    }),
    observeRequests(admission, bodies) {
      observe('till_requests_working', 'Requests worked on.', () => admission.working);
      observe('till_requests_queued', 'Requests that wait for a place.', () => admission.queued);
      observe(
        'till_requests_waiting',
        'Requests that wait for a processor or a request with their key.',
        () => admission.waiting,
      );
      observe('till_requests_bodies', 'Requests whose body is still to come.', () => bodies.total);
    },
  };
}

/** The metrics of calls to processors: those that wait, and those that were refused to protect others. */
function guardMetrics(registry: Registry): Pick<Metrics, 'processorRefused' | 'observeProcessor'> {
  const guards: { readonly processor: string; readonly guard: GuardFigures }[] = [];
  const calls = new Gauge({
    name: 'till_processor_calls',
    help: 'Operations at a processor that wait for its answers.',
    labelNames: ['processor'],
    registers: [],
    collect() {
      this.reset();
      for (const { processor, guard } of guards) this.inc({ processor }, guard.inFlight);
    },
  });
  const breakers = new Gauge({
    name: 'till_processor_breakers_open',
    help: 'Circuit breakers that are open because a processor does not answer.',
    labelNames: ['processor', 'scope'],
    registers: [],
    collect() {
      this.reset();
      for (const { processor, guard } of guards) {
        for (const scope of ['account', 'origin'] as const)
          this.inc({ processor, scope }, guard.openBreakers(scope));
      }
    },
  });
  registry.registerMetric(calls);
  registry.registerMetric(breakers);
  return {
    processorRefused: new Counter({
      name: 'till_processor_refused_total',
      help: 'Operations that a processor was not asked for.',
      labelNames: ['processor', 'reason'],
      registers: [registry],
    }),
    observeProcessor: (processor, guard) => void guards.push({ processor, guard }),
  };
}

/** Creates the series that alerts use at once with 0: for one that appears with its first event, `increase` sees no increase. */
function beginAtZero(metrics: Metrics): Metrics {
  for (const reason of ['full', 'waited', 'open', 'bodies', 'left', 'storage']) {
    metrics.refusedRequests.inc({ reason }, 0);
  }
  for (const outcome of ['written', 'dropped']) metrics.requestLogs.inc({ outcome }, 0);
  for (const outcome of ['succeeded', 'pending', 'failed']) metrics.webhookDuration.zero({ outcome });
  return {
    ...metrics,
    observeProcessor(processor, guard) {
      for (const result of ['accepted', 'duplicate', 'refused', 'unverifiable']) {
        metrics.processorNotifications.inc({ processor, result }, 0);
      }
      metrics.observeProcessor(processor, guard);
    },
  };
}

/**
 * @param version the version of this server; null if the metrics of the process are collected elsewhere
 * @param poolInUse returns how many connections of the database pool are in use
 */
export function createMetrics(version: string | null, poolInUse: () => number): Metrics {
  const registry = new Registry();
  const registers = [registry];
  if (version !== null) observeProcess(registry, version);
  observePool(registry, poolInUse);
  return beginAtZero({
    registry,
    ...requestMetrics(registry),
    ...guardMetrics(registry),
    httpDuration: new Histogram({
      name: 'till_http_request_duration_seconds',
      help: 'Time from the first byte of a request to the end of its answer.',
      labelNames: ['route', 'method', 'status_class'],
      buckets: seconds,
      registers,
    }),
    payments: new Counter({
      name: 'till_payments_total',
      help: 'Payments that reached a status.',
      labelNames: ['processor', 'mode', 'status', 'failure_code'],
      registers,
    }),
    refunds: new Counter({
      name: 'till_refunds_total',
      help: 'Refunds that reached their end.',
      labelNames: ['processor', 'mode', 'status'],
      registers,
    }),
    processorDuration: new Histogram({
      name: 'till_processor_request_duration_seconds',
      help: 'Time of one request to a processor.',
      labelNames: ['processor', 'operation', 'outcome'],
      buckets: seconds,
      registers,
    }),
    idempotencyReplays: new Counter({
      name: 'till_idempotency_replays_total',
      help: 'Answers replayed from an idempotency record.',
      registers,
    }),
    webhookDuration: new Histogram({
      name: 'till_webhook_attempt_duration_seconds',
      help: 'Time of one attempt to deliver a webhook, by the state of the delivery after it.',
      labelNames: ['outcome'],
      buckets: seconds,
      registers,
    }),
    processorNotifications: new Counter({
      name: 'till_processor_notifications_total',
      help: 'Notifications that processors sent: accepted, duplicate, refused or unverifiable.',
      labelNames: ['processor', 'result'],
      registers,
    }),
    requestLogs: new Counter({
      name: 'till_request_logs_total',
      help: 'Requests for the log that merchants see: written, or dropped where there was no room.',
      labelNames: ['outcome'],
      registers,
    }),
  });
}
