import type { DashboardApi } from '../api.ts';
import { apiKeyRoutes } from './api-keys.ts';
import { deliveryRoutes } from './deliveries.ts';
import type { DeveloperDependencies } from './dependencies.ts';
import { endpointRoutes } from './endpoints.ts';
import { eventLogRoutes } from './events.ts';
import { requestLogRoutes } from './request-logs.ts';

/** Keys, webhooks, events and the log of requests. */
export function developersDashboardRoutes(api: DashboardApi, deps: DeveloperDependencies): void {
  apiKeyRoutes(api, deps);
  endpointRoutes(api, deps);
  deliveryRoutes(api, deps);
  eventLogRoutes(api, deps);
  requestLogRoutes(api, deps);
}
