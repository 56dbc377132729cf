import type { DashboardOperation } from '../../api/dashboard-operation.ts';
import { apiKeyOperations } from './api-keys.ts';
import { deliveryOperations } from './deliveries.ts';
import { eventOperations } from './events.ts';
import { requestLogOperations } from './request-logs.ts';
import { webhookEndpointOperations } from './webhook-endpoints.ts';

export * from './api-keys.ts';
export * from './deliveries.ts';
export * from './events.ts';
export * from './key-restriction.ts';
export * from './request-logs.ts';
export * from './webhook-endpoints.ts';

/** The developers' section: API keys, webhooks, events and the request log. */
export const developersApi = {
  ...apiKeyOperations,
  ...webhookEndpointOperations,
  ...deliveryOperations,
  ...eventOperations,
  ...requestLogOperations,
} as const satisfies Record<string, DashboardOperation>;
