import { namedSchemas } from '@till/contract';
import { triggers } from '@till/sandbox';
import type { FastifyInstance } from 'fastify';
import { entersKeys } from '../cells/cells.ts';
import { elsewhere } from '../cells/directory.ts';
import { CustomerStore } from '../customers/store.ts';
import { DashboardApi } from '../dashboard/api.ts';
import { staticAppRoutes } from '../dashboard/app/routes.ts';
import { loadStaticApp } from '../dashboard/app/static-app.ts';
import { approvalDashboardRoutes } from '../dashboard/approvals/routes.ts';
import { auditDashboardRoutes } from '../dashboard/audit/routes.ts';
import { developersDashboardRoutes } from '../dashboard/developers/routes.ts';
import { linksDashboardRoutes } from '../dashboard/payment-links/routes.ts';
import { sandboxDashboardRoutes } from '../dashboard/sandbox/routes.ts';
import { homeSectionRoutes } from '../dashboard/sections/home.ts';
import { paymentsSectionRoutes } from '../dashboard/sections/payments.ts';
import { securityDashboardRoutes } from '../dashboard/security/routes.ts';
import { sessionDashboardRoutes } from '../dashboard/session/routes.ts';
import { settingsDashboardRoutes } from '../dashboard/settings/routes.ts';
import { teamDashboardRoutes } from '../dashboard/team/routes.ts';
import { DisputeStore } from '../disputes/store.ts';
import { FileStore } from '../files/store.ts';
import type { Serializers } from '../http/api/serialize.ts';
import { createValidator } from '../http/input/validate.ts';
import { RateLimiter } from '../http/rate-limit/rate-limit.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import { builtFolder } from '../lib/web/built-folder.ts';
import { LinkStore } from '../payment-links/store.ts';
import { PaymentStore } from '../payments/store.ts';
import { RefundStore } from '../refunds/store.ts';
import type { Database } from '../store/database.ts';
import { auditEntry, nextEntry, writeAudit } from '../users/audit/audit.ts';
import { findWorkspace } from '../users/people/workspaces.ts';
import { findSession } from '../users/sign-in/sessions.ts';
import { otherCellCheck } from './account-of-request.ts';
import type { ServerDependencies } from './dependencies.ts';
import type { Features } from './features.ts';

/**
 * The features for the dashboard's pages and exports. They use separate database connections, so that a page with expensive
 * queries does not delay payments. Writes that a read causes, such as expiring a payment, use the same connections.
 */
function composeReading({ reads }: Pick<ServerDependencies, 'reads'>, features: Features) {
  const customers = { ...features.customers, store: new CustomerStore(reads) };
  const payments = { ...features.payments, db: reads, store: new PaymentStore(reads), customers };
  return {
    payments,
    refunds: { ...features.refunds, db: reads, store: new RefundStore(reads), payments },
    disputes: { ...features.disputes, db: reads, store: new DisputeStore(reads) },
    files: { ...features.files, store: new FileStore(reads) },
  };
}

/** The folder into which the dashboard's build writes the application. */
const builtApplication = new URL('../../../dashboard/dist/app/', import.meta.url);

/** How many sessions behind one IP address may each use the full rate limit of a session. */
const sessionsPerAddress = 5;

interface DashboardWiring {
  readonly app: FastifyInstance;
  readonly features: Features;
  readonly idempotency: Idempotency;
  readonly serializers: Serializers;
  readonly rateLimiter: RateLimiter;
  readonly publicAddress: () => string;
}

/** Mounts the dashboard: its API, and the browser application, which only the server of home serves. */
export async function mountDashboard(server: ServerDependencies, built: DashboardWiring): Promise<void> {
  mountDashboardApi(server, built);
  if (server.within !== undefined) return;
  staticAppRoutes(built.app, await loadStaticApp(builtFolder(builtApplication)));
}

/** Mounts the API of the dashboard's pages. */
export function mountDashboardApi(server: ServerDependencies, built: DashboardWiring): void {
  const { config, db, clock, metrics, replica } = server;
  const { app, features, serializers, rateLimiter, idempotency } = built;
  const { people } = features;
  const isElsewhere = otherCellCheck(server);
  const api = new DashboardApi({
    app,
    serializers,
    rateLimiter,
    addressLimiter: new RateLimiter({
      perSecond: config.rateLimit.perSecond * sessionsPerAddress,
      burst: config.rateLimit.burst * sessionsPerAddress,
      elapsed: clock.elapsed,
    }),
    clock,
    idempotency,
    ajv: createValidator(namedSchemas),
    baseUrl: built.publicAddress,
    configuredUrl: config.baseUrl,
    findSession: (token) => findSession(people, token),
    async findWorkspace(userId, accountId) {
      if (isElsewhere(accountId)) throw elsewhere();
      return findWorkspace({ ...people, accounts: db }, userId, accountId);
    },
    audit: {
      write: (entry, tx = db) => writeAudit({ ...people, db: tx }, entry),
      entry: (entry) => auditEntry(people, entry),
      next: () => nextEntry(people),
    },
    onReplay: () => metrics.idempotencyReplays.inc(),
    elsewhere: replica,
  });
  sessionDashboardRoutes(api, { people });
  securityDashboardRoutes(api, { people });
  teamDashboardRoutes(api, people);
  const { randomBytes, publicAddress } = people;
  const { connect } = features.payments;
  const { liveSimulation } = config;
  const { checkConnection } = features;
  const sendsMail = features.outbox !== null;
  const addresses = { publicAddress, sendsMail, liveSimulation };
  approvalDashboardRoutes(api, features.approvals);
  settingsDashboardRoutes(api, { db, clock, randomBytes, connect, checkConnection, ...addresses });
  sandboxDashboardRoutes(api, {
    ...features.testing,
    db: server.reads,
    clock,
    payments: features.payments,
    refunds: features.refunds,
    triggers,
    publicAddress,
  });
  mountPages(api, server, features, server.reads);
  if (replica !== undefined) {
    api.mountReplica(() => mountPages(api, server, features, replica.over(server.reads)));
  }
}

/** Mounts the pages that only read. @param reads the features with the connections for reads */
function mountPages(
  api: DashboardApi,
  { db, clock, reads: primary, within }: ServerDependencies,
  features: Features,
  reads: Database,
): void {
  const { people, vault, webhooks } = features;
  auditDashboardRoutes(api, { reads });
  const { randomBytes } = people;
  const enterKey = within && entersKeys(within.home);
  developersDashboardRoutes(api, { db, reads, clock, randomBytes, vault, wake: webhooks.wake, enterKey });
  const reading = composeReading({ reads }, features);
  const { links, refunds, approvals } = features;
  const readingLinks = { ...links, store: new LinkStore(reads) };
  linksDashboardRoutes(api, { links, reading: readingLinks, db, mail: refunds.mail, approvals });
  paymentsSectionRoutes(api, { ...features, reading, clock });
  const sendsMail = features.outbox !== null;
  homeSectionRoutes(api, { ...features, db, reads, primary, reading, clock, sendsMail });
}
