import { merchantApi, namedSchemas } from '@till/contract';
import { dashboardApi } from '@till/contract/dashboard';
import { expect, it } from 'vitest';
import type { CheckoutPageDependencies } from '../../checkout/dependencies.ts';
import { linkPageRoutes } from '../../checkout/link/routes.ts';
import { checkoutRoutes } from '../../checkout/routes.ts';
import { DashboardApi, type DashboardApiDependencies } from '../../dashboard/api.ts';
import { MerchantApi, type MerchantApiDependencies } from '../api/merchant-api.ts';
import { createValidator } from '../input/validate.ts';
import { RateLimiter } from '../rate-limit/rate-limit.ts';
import { createApp } from '../server/app.ts';
import { healthRoutes } from '../server/health.ts';
import { RouteTable } from './route-table.ts';

const rateLimiter = new RateLimiter({ perSecond: 0, burst: 0, elapsed: () => 0 });
const app = createApp({
  newRequestId: () => 'req_1',
  elapsed: () => 0,
  baseUrl: () => 'http://till.example',
  trustProxy: [],
  rateLimiter,
  isUnavailable: () => false,
  onRequestDone: () => {},
  onUnexpected: () => {},
});
const routes = new RouteTable(app);
const api = { app, ajv: createValidator(namedSchemas) };
const merchant = new MerchantApi(api as MerchantApiDependencies<never, never>);
for (const operation of Object.values(merchantApi)) merchant.mount(operation, () => Promise.reject());
const dashboard = new DashboardApi(api as DashboardApiDependencies);
for (const operation of Object.values(dashboardApi)) {
  const mount = operation.path.startsWith('/accounts/:account') ? 'mount' : 'mountSession';
  dashboard[mount](operation, () => Promise.reject());
}
const checkout = { payments: { clock: { elapsed: () => 0 } } } as CheckoutPageDependencies;
checkoutRoutes(app, checkout);
linkPageRoutes(app, checkout);
healthRoutes(app, { checks: {}, onError: () => {}, draining: () => false, elapsed: () => 0 });

const payment = '/api/v1/payments/pay_000000000000000000000000';
const staffPayment = '/dashboard/api/accounts/acct_1/payments/pay_1';

it.each([
  ['POST', '/api/v1/payments', 'money'],
  ['POST', '/api/v1/payments/', 'money'],
  ['POST', '/api/v1/payments/?x=1', 'money'],
  ['POST', `${payment}/confirm`, 'money'],
  ['POST', `${payment}/capture`, 'money'],
  ['POST', `${payment}/capture/`, 'money'],
  ['POST', `${payment}/void`, 'money'],
  ['POST', `${payment}/refunds/?`, 'money'],
  ['GET', `${payment}/`, 'ordinary'],
  ['GET', `${payment}/refunds`, 'ordinary'],
  ['POST', '/api/v1/customers/', 'ordinary'],
  ['POST', '/api/v1/disputes/dp_1/accept', 'ordinary'],
  ['POST', '/api/v1/test_helpers/payments/pay_1/approve', 'ordinary'],
  ['POST', `${staffPayment}/refunds`, 'money'],
  ['POST', `${staffPayment}/capture`, 'money'],
  ['POST', `${staffPayment}/void`, 'money'],
  ['GET', staffPayment, 'ordinary'],
  ['POST', '/dashboard/api/session', 'ordinary'],
  ['POST', '/checkout/pay/token', 'money'],
  ['POST', '/checkout/pay/token/approved', 'money'],
  ['GET', '/checkout/pay/token', 'ordinary'],
  ['GET', '/checkout/return/token?redirectResult=x', 'money'],
  ['GET', '/checkout/cancel/token', 'ordinary'],
  ['GET', '/healthz/', 'vital'],
  ['HEAD', '/readyz', 'vital'],
  ['GET', '/nothing', 'ordinary'],
])('%s %s is as important as its route, however its address is spelt: %s', (method, url, importance) => {
  expect(routes.importanceAt(method, url)).toBe(importance);
});
