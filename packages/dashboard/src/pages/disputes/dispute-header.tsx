import { HandCoins } from 'lucide-react';
import { useState } from 'react';
import { useRefusal } from '../../api/session.ts';
import { Button } from '../../components/buttons/button.tsx';
import { PageHeader } from '../../components/layout/page-header.tsx';
import { Badge } from '../../components/values/badge.tsx';
import { CopyId } from '../../components/values/copy-button.tsx';
import { Money } from '../../components/values/money.tsx';
import { Status } from '../../components/values/status.tsx';
import { language } from '../../lib/amounts/language.ts';
import { formatMoney } from '../../lib/amounts/money.ts';
import { disputeState } from '../../lib/wording/dispute-words.ts';
import { usePaths } from '../../navigation/navigation.tsx';
import { AcceptDialog } from './accept-dialog.tsx';
import type { Detail } from './answer/detail.ts';

/** Amount, stage and status of a dispute, and the button to accept it. The defence has its own form below. */
export function DisputeHeader({ detail }: { readonly detail: Detail }) {
  const paths = usePaths();
  const [accepting, setAccepting] = useState(false);
  const refusal = useRefusal();
  const { dispute } = detail;
  const { amount, currency } = dispute;
  const reason = detail.refusal ?? refusal('acceptDispute');
  return (
    <>
      <PageHeader
        title={`Dispute of ${formatMoney(amount, currency, language())}`}
        crumbs={[{ label: 'Disputes', to: paths.disputes }]}
        heading={
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <span className="sr-only">Dispute of </span>
            <Money amount={amount} currency={currency} code />
            <span className="flex flex-wrap gap-1.5 text-base font-normal tracking-normal">
              <Status kind="dispute" status={dispute.status} />
              <Badge>{disputeState(dispute.state).word}</Badge>
            </span>
          </span>
        }
        description={<CopyId id={dispute.id} what="dispute id" />}
        actions={
          <Button icon={HandCoins} unavailable={reason} onClick={() => setAccepting(true)}>
            Accept the loss…
          </Button>
        }
      />
      <AcceptDialog open={accepting} onClose={() => setAccepting(false)} dispute={dispute} />
    </>
  );
}
