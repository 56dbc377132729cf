import { dashboardApi } from '@till/contract/dashboard';
import { moveTestDispute } from '../../disputes/api/move-dispute.ts';
import { openTestDispute } from '../../disputes/api/open-dispute.ts';
import { presentDispute } from '../../disputes/present.ts';
import { confirmPayment } from '../../payments/operations/confirm.ts';
import { writePayment } from '../../payments/settle-payment.ts';
import { writeRefund } from '../../refunds/commit-refund.ts';
import { approveTestPayment, requireSandbox, settleTestRefund } from '../../sandbox-helpers/helpers.ts';
import type { DashboardApi } from '../api.ts';
import type { SandboxToolDependencies } from './dependencies.ts';

type Acting = Parameters<NonNullable<Parameters<DashboardApi['mount']>[2]>>[0];
const sandboxOnly = ({ context }: Acting) => requireSandbox(context);

/** The operations that play the buyer, the issuer and the bank. They call the same functions as the API's test helpers. */
export function playRoutes(api: DashboardApi, deps: SandboxToolDependencies): void {
  const { helpers, disputes } = deps;
  api.mount(
    dashboardApi.playBuyer,
    async ({ context, params, body, audit }) => {
      const payment = await approveTestPayment(helpers, context, params.id ?? '', body.outcome);
      await audit({ after: { outcome: body.outcome, status: payment.status } });
      return { status: 200, text: writePayment(deps.payments, context, payment) };
    },
    sandboxOnly,
  );
  api.mount(
    dashboardApi.confirmSandboxPayment,
    ({ context, params, claim, resumes }) =>
      confirmPayment(deps.payments, context, params.id ?? '', { claim, resumes }),
    sandboxOnly,
  );
  api.mount(
    dashboardApi.openSandboxDispute,
    async ({ context, params, body, audit }) => {
      const dispute = await openTestDispute(disputes, context, params.id ?? '', body);
      const { state, status, payment_id: payment } = dispute;
      await audit({ objectId: dispute.id, after: { payment, state, status } });
      return { status: 201, body: presentDispute(dispute, context) };
    },
    sandboxOnly,
  );
  api.mount(
    dashboardApi.moveSandboxDispute,
    async ({ context, params, body, audit }) => {
      const dispute = await moveTestDispute(disputes, context, params.id ?? '', body);
      await audit({ after: { state: dispute.state, status: dispute.status } });
      return { status: 200, body: presentDispute(dispute, context) };
    },
    sandboxOnly,
  );
  api.mount(
    dashboardApi.settleSandboxRefund,
    async ({ context, params, body, audit }) => {
      const refund = await settleTestRefund(helpers, context, params.id ?? '', body.outcome);
      await audit({ after: { outcome: body.outcome, status: refund.status } });
      return { status: 200, text: writeRefund(deps.refunds, context, refund) };
    },
    sandboxOnly,
  );
}
