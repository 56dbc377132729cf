import { apiKeyOperations } from './developers/api-keys.ts';
import { deliveryOperations } from './developers/deliveries.ts';
import { eventOperations } from './developers/events.ts';
import { requestLogOperations } from './developers/request-logs.ts';
import { webhookEndpointOperations } from './developers/webhook-endpoints.ts';
import type { DashboardOperation } from './operation.ts';

export * from './developers/api-keys.ts';
export * from './developers/deliveries.ts';
export * from './developers/events.ts';
export * from './developers/request-logs.ts';
export * from './developers/webhook-endpoints.ts';

/** What developers do: keys, webhooks, events, the log of requests. */
export const developersApi = {
  ...apiKeyOperations,
  ...webhookEndpointOperations,
  ...deliveryOperations,
  ...eventOperations,
  ...requestLogOperations,
} as const satisfies Record<string, DashboardOperation>;
