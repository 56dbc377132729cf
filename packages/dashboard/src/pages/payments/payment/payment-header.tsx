import { Ban, Check, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../components/buttons/button.tsx';
import { PageHeader } from '../../../components/layout/page-header.tsx';
import { Badge } from '../../../components/values/badge.tsx';
import { CopyId } from '../../../components/values/copy-button.tsx';
import { Money } from '../../../components/values/money.tsx';
import { PaymentStatus } from '../../../components/values/payment-status.tsx';
import { language } from '../../../lib/amounts/language.ts';
import { formatMoney } from '../../../lib/amounts/money.ts';
import { usePaths } from '../../../navigation/navigation.tsx';
import type { Detail } from './detail.ts';
import { HoldDialog } from './hold-dialog.tsx';
import { RefundDialog } from './refund-dialog.tsx';

/** Amount, status and actions of a payment. A disabled button says why it is disabled. */
export function PaymentHeader({ detail }: { readonly detail: Detail }) {
  const paths = usePaths();
  const { payment, money, disputes } = detail;
  const { amount, currency } = payment;
  const returned = money.refunded + money.refund_pending;
  return (
    <PageHeader
      title={`Payment of ${formatMoney(amount, currency, language())}`}
      crumbs={[{ label: 'Payments', to: paths.payments }]}
      heading={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="sr-only">Payment of </span>
          <Money amount={amount} currency={currency} code />
          <span className="flex flex-wrap gap-1.5 text-base font-normal tracking-normal">
            <PaymentStatus status={payment.status} failure={payment.failure} />
            {returned > 0 && <Badge>{returned >= amount ? 'Refunded' : 'Partly refunded'}</Badge>}
            {detail.failed_refunds.length > 0 && <Badge tone="bad">Refund failed</Badge>}
            {disputes.length > 0 && <Badge tone="bad">Disputed</Badge>}
          </span>
        </span>
      }
      description={
        <span className="flex flex-wrap items-center gap-x-4">
          {payment.reference !== null && (
            <span className="[overflow-wrap:anywhere]">{payment.reference}</span>
          )}
          <CopyId id={payment.id} what="payment id" />
        </span>
      }
      actions={<Actions detail={detail} />}
    />
  );
}

type Open = 'capture' | 'void' | 'refund';

function Actions({ detail }: { readonly detail: Detail }) {
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const { capture, void: release, refund } = detail.actions;
  const manual = detail.payment.capture_method === 'manual';
  return (
    <>
      {/* A payment without a hold has nothing to capture or void. */}
      {(manual || capture.allowed) && (
        <Button
          icon={Check}
          variant={capture.allowed ? 'primary' : 'secondary'}
          unavailable={capture.reason ?? undefined}
          onClick={() => setOpen('capture')}
        >
          Capture
        </Button>
      )}
      {(manual || release.allowed) && (
        <Button icon={Ban} unavailable={release.reason ?? undefined} onClick={() => setOpen('void')}>
          Void
        </Button>
      )}
      <Button icon={Undo2} unavailable={refund.reason ?? undefined} onClick={() => setOpen('refund')}>
        Refund
      </Button>
      <HoldDialog kind="capture" open={open === 'capture'} onClose={close} detail={detail} />
      <HoldDialog kind="void" open={open === 'void'} onClose={close} detail={detail} />
      <RefundDialog open={open === 'refund'} onClose={close} detail={detail} />
    </>
  );
}
