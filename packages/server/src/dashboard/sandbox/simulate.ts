import { invalidParam, type PaymentCreate } from '@till/contract';
import { dashboardApi, type SimulatedPayment } from '@till/contract/dashboard';
import type { AccountContext } from '../../accounts/context.ts';
import { createPayment } from '../../payments/operations/create-payment.ts';
import { requireSandbox } from '../../sandbox-helpers/helpers.ts';
import type { DashboardApi } from '../api.ts';
import type { SandboxToolDependencies } from './dependencies.ts';

const approvedCard = '4111111111111111';
const buyerAddress = {
  line1: '1 Main Street',
  city: 'San Jose',
  state: 'CA',
  postal_code: '95131',
  country: 'US',
};

/** Requires a trigger of the account's processor that is about payments. @throws ApiError `invalid_params` */
function requireTrigger(
  deps: SandboxToolDependencies,
  context: AccountContext,
  options: SimulatedPayment,
): void {
  const { trigger, method = 'card' } = options;
  if (trigger === undefined) return;
  const known = deps.triggers.some(
    (row) =>
      row.processor === context.processor &&
      row.trigger.field === trigger.field &&
      row.trigger.value === trigger.value,
  );
  if (!known || trigger.field === 'note') {
    throw invalidParam('trigger', 'trigger must be a row of the table that is about payments.');
  }
  if (method !== 'card' && trigger.field.startsWith('payment_method.')) {
    throw invalidParam('trigger', 'This trigger is a part of a typed card: choose the method card for it.');
  }
}

/** The address to which the buyer's browser returns. Payments allow only https addresses. */
function returnTo(deps: SandboxToolDependencies, accountId: string): string {
  const address = deps.publicAddress();
  return address.startsWith('https://')
    ? `${address}/dashboard/${accountId}/sandbox`
    : 'https://example.com/back-from-the-sandbox';
}

/** The request that a merchant's server would send, with made-up data and the trigger in its field. */
function requestOf(
  deps: SandboxToolDependencies,
  context: AccountContext,
  options: SimulatedPayment,
): PaymentCreate {
  const { amount, currency, method = 'card', trigger, customer_email: email } = options;
  const value = (field: string) => (trigger?.field === field ? trigger.value : undefined);
  const url = returnTo(deps, context.accountId);
  const card = {
    number: value('payment_method.number') ?? approvedCard,
    exp_month: 3,
    exp_year: context.now.getUTCFullYear() + 4,
    cvc: value('payment_method.cvc') ?? '737',
    holder_name: value('payment_method.holder_name') ?? 'Jane Smith',
  };
  const description = value('description');
  const line1 = value('billing_address.line1');
  return {
    amount,
    currency,
    payment_method: { type: method, ...(method === 'card' ? card : {}) },
    success_url: url,
    failure_url: url,
    ...(description === undefined ? {} : { description }),
    ...(line1 === undefined ? {} : { billing_address: { ...buyerAddress, line1 } }),
    ...(options.capture_method === undefined ? {} : { capture_method: options.capture_method }),
    ...(options.authentication === undefined ? {} : { authentication: options.authentication }),
    ...(email === undefined ? {} : { customer: { email }, save_payment_method: true }),
  };
}

/** Creates a sandbox payment through the API's own operation, which also stores its answer under the idempotency key. */
export function simulateRoutes(api: DashboardApi, deps: SandboxToolDependencies): void {
  api.mount(
    dashboardApi.simulatePayment,
    async ({ context, body, client, claim, resumes, audit }) => {
      requireTrigger(deps, context, body);
      const answer = await createPayment(deps.payments, context, {
        request: requestOf(deps, context, body),
        client: { ip: null, userAgent: client.userAgent, accept: null },
        claim,
        resumes,
      });
      if ('text' in answer) {
        const { id, status } = JSON.parse(answer.text) as { id: string; status: string };
        const { amount, currency, method } = body;
        // The trigger itself is not logged: it may be a card number, even if only a test one.
        await audit({ objectId: id, after: { amount, currency, method, status } });
      }
      return answer;
    },
    ({ context }) => requireSandbox(context),
  );
}
