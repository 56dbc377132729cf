import type { FastifyInstance } from 'fastify';
import type { AccountContext } from '../accounts/context.ts';
import { approvalForCapture, approvalForLink, approvalForRefund, requireMayOpen } from '../approvals/ask.ts';
import { approvalRoutes } from '../approvals/routes.ts';
import { linkPageRoutes } from '../checkout/link/routes.ts';
import { checkoutRoutes } from '../checkout/routes.ts';
import type { Config } from '../config/config.ts';
import { customerRoutes } from '../customers/routes.ts';
import { disputeRoutes, testDisputeRoutes } from '../disputes/api/routes.ts';
import { eventRoutes } from '../events/routes.ts';
import { fileRoutes } from '../files/routes.ts';
import type { MerchantApi } from '../http/api/merchant-api.ts';
import type { RateLimiter } from '../http/rate-limit/rate-limit.ts';
import { healthRoutes } from '../http/server/health.ts';
import { sandboxRoutes } from '../http/server/sandbox-routes.ts';
import type { Claim } from '../idempotency/claims.ts';
import { describeError } from '../lib/log/log.ts';
import { paymentLinkRoutes } from '../payment-links/routes.ts';
import { paymentMethodRoutes } from '../payment-methods/routes.ts';
import { paymentRoutes } from '../payments/api/routes.ts';
import { processorNotificationRoutes } from '../processor-notifications/routes.ts';
import { refundRoutes } from '../refunds/routes.ts';
import { testHelperRoutes } from '../sandbox-helpers/routes.ts';
import { payoutRoutes } from '../settlements/routes.ts';
import { eventStreamRoutes } from '../webhooks/stream/routes.ts';
import { otherCellCheck } from './account-of-request.ts';
import type { Authenticate } from './api.ts';
import type { ServerDependencies } from './dependencies.ts';
import type { Features } from './features.ts';

/** A hint for an integrator who calls a path that this server does not offer; undefined if there is none. */
export const hintFor =
  ({ disputesApi }: Pick<Config, 'disputesApi'>) =>
  (path: string): string | undefined =>
    !disputesApi && /^\/api\/v1\/(disputes|files)(\/|$)/.test(path)
      ? 'the disputes API is off, TILL_DISPUTES_API=on turns it on'
      : undefined;

/** Mounts all HTTP routes. */
export function mountRoutes(
  server: ServerDependencies,
  built: {
    readonly app: FastifyInstance;
    readonly api: MerchantApi<AccountContext, Claim>;
    readonly features: Features;
    readonly authenticate: Authenticate;
    readonly rateLimiter: RateLimiter;
    readonly accountLimiter: RateLimiter;
    readonly draining: () => boolean;
    readonly stopping: () => boolean;
  },
): void {
  const { config, db, clock, log } = server;
  const { app, api, features } = built;
  customerRoutes(api, features.customers);
  const { approvals } = features;
  paymentRoutes(api, features.payments, (...asked) => approvalForCapture(approvals, ...asked));
  paymentMethodRoutes(api, features.methods);
  paymentLinkRoutes(api, features.links, {
    waits: (...asked) => approvalForLink(approvals, ...asked),
    mayBecome: requireMayOpen,
  });
  refundRoutes(api, features.refunds, (...asked) => approvalForRefund(approvals, ...asked));
  approvalRoutes(api, approvals);
  eventRoutes(api, db);
  payoutRoutes(api, db);
  const authenticate = async (key: string, ip: string) => (await built.authenticate(key, { ip })).caller;
  eventStreamRoutes(app, { ...built, authenticate, db, clock, isElsewhere: otherCellCheck(server) });
  if (config.disputesApi) {
    disputeRoutes(api, features.disputes);
    fileRoutes(api, features.files);
  }
  testDisputeRoutes(api, features.testing.disputes);
  testHelperRoutes(api, features.testing.helpers);
  checkoutRoutes(app, features.checkout);
  linkPageRoutes(app, features.checkout);
  processorNotificationRoutes(app, features.notifications.intake);
  sandboxRoutes(app, features.sandbox.pages);
  healthRoutes(app, {
    draining: built.stopping,
    elapsed: clock.elapsed,
    onError: (check, error) =>
      log.error('a readiness check failed', { detail: check, ...describeError(error) }),
    checks: {
      database: async () => {
        await db.query({ text: 'select 1', scope: 'anybody' });
        return null;
      },
      disk: async () => server.space?.fault ?? null,
    },
  });
}
