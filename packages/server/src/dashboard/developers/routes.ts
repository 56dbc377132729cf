import type { DashboardApi } from '../api.ts';
import { apiKeyRoutes } from './api-keys.ts';
import { deliveryRoutes } from './deliveries.ts';
import type { DeveloperDependencies } from './dependencies.ts';
import { endpointRoutes } from './endpoints.ts';
import { eventLogRoutes } from './events.ts';
import { requestLogRoutes } from './request-logs.ts';

/** The operations on keys, webhooks, events and the request log. */
export function developersDashboardRoutes(api: DashboardApi, deps: DeveloperDependencies): void {
  apiKeyRoutes(api, deps);
  endpointRoutes(api, deps);
  deliveryRoutes(api, deps);
  eventLogRoutes(api, deps);
  requestLogRoutes(api, deps);
}
