import { walletType } from '@till/contract/processors';
import { useState } from 'react';
import { useChange } from '../../api/calls.ts';
import { newIdempotencyKey } from '../../api/idempotency-key.ts';
import { Button } from '../../components/buttons/button.tsx';
import { toast, toastError } from '../../components/feedback/toasts.tsx';
import { Menu, MenuItem } from '../../components/overlays/menu.tsx';
import { Money } from '../../components/values/money.tsx';
import { ObjectLink } from '../../components/values/object-link.tsx';
import { Countdown } from '../../components/values/time.tsx';
import { statusLook } from '../../lib/wording/status.ts';
import { Line, Lines } from './line.tsx';
import type { SandboxState } from './state.ts';
import { useRefreshAll } from './state.ts';

type Waiting = SandboxState['waiting'][number];

const methodWords: Readonly<Record<string, string>> = {
  card: 'Card',
  card_fields: 'Card fields',
  [walletType]: 'Wallet',
};

/** Payments that wait for an action of the buyer. */
export const Buyers = ({ payments }: { readonly payments: readonly Waiting[] }) => (
  <Lines label="Payments that wait for a buyer">
    {payments.map((payment) => (
      <Buyer key={payment.id} payment={payment} />
    ))}
  </Lines>
);

const showStatus = ({ status }: { readonly status: string }) =>
  toast(`The payment is now: ${statusLook('payment', status).word}`);

function Buyer({ payment }: { readonly payment: Waiting }) {
  const play = useChange('playBuyer');
  const confirm = useChange('confirmSandboxPayment');
  const refresh = useRefreshAll();
  const [key] = useState(newIdempotencyKey);
  const params = { id: payment.id };
  const answered = { onSuccess: showStatus, onError: toastError, onSettled: refresh };
  const as = (outcome: 'approved' | 'declined' | 'failed' | 'abandoned') =>
    play.mutate({ params, body: { outcome } }, answered);
  const { last4 } = payment;
  return (
    <Line
      actions={
        payment.buyer_done ? (
          <Button
            size="sm"
            variant="primary"
            busy={confirm.isPending}
            onClick={() => confirm.mutate({ params, idempotencyKey: key }, answered)}
          >
            Confirm, as your server does
          </Button>
        ) : (
          <>
            <Button size="sm" variant="primary" busy={play.isPending} onClick={() => as('approved')}>
              Approve
            </Button>
            <Menu
              button={
                <Button size="sm" busy={play.isPending}>
                  Other ends…
                </Button>
              }
            >
              <MenuItem onSelect={() => as('declined')}>Approve, then the bank declines</MenuItem>
              <MenuItem onSelect={() => as('failed')}>Fail the bank's check</MenuItem>
              <MenuItem onSelect={() => as('abandoned')}>Go away without finishing</MenuItem>
            </Menu>
          </>
        )
      }
    >
      <Money amount={payment.amount} currency={payment.currency} code className="font-medium" />
      <span className="text-text-2">
        {methodWords[payment.method_type] ?? payment.method_type}
        {last4 !== null && ` ••${last4}`}
      </span>
      {payment.reference !== null && <bdi className="max-w-48 truncate text-text-2">{payment.reference}</bdi>}
      <ObjectLink id={payment.id} />
      {payment.confirm_by !== null && (
        <Countdown to={payment.confirm_by} over="Window closed" detail={false} />
      )}
    </Line>
  );
}
