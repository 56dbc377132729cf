import type { DashboardApi } from '../api.ts';
import { apiKeyRoutes } from './api-keys.ts';
import { deliveryRoutes } from './deliveries.ts';
import { endpointRoutes } from './endpoints.ts';
import { eventLogRoutes } from './events.ts';
import type { DeveloperParts } from './parts.ts';
import { requestLogRoutes } from './request-logs.ts';

/** Keys, webhooks, events and the log of requests. */
export function developersDashboardRoutes(api: DashboardApi, parts: DeveloperParts): void {
  apiKeyRoutes(api, parts);
  endpointRoutes(api, parts);
  deliveryRoutes(api, parts);
  eventLogRoutes(api, parts);
  requestLogRoutes(api, parts);
}
