import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, refreshAll } from '../../api/calls.ts';
import { newIdempotencyKey } from '../../api/idempotency-key.ts';
import { toast } from '../../components/feedback/toasts.tsx';
import { useOpening } from '../../components/overlays/requests/opening.ts';
import { failureText } from '../../lib/wording/failure-texts.ts';
import { countOf } from '../../lib/wording/plural.ts';
import { useParam } from '../../navigation/navigation.tsx';
import type { ListedPayment } from './columns.tsx';

type Payment = ListedPayment['payment'];

export interface CaptureResult {
  readonly payment: Payment;
  /** Why the hold was not captured; null if it was captured or waits for approval. */
  readonly problem: string | null;
  /** The capture waits for approval. */
  readonly waits: boolean;
}

/** The number of captures in flight at once. */
const places = 4;

/** How many holds were captured and how many were not. */
export function outcomeOf(results: readonly CaptureResult[]): string {
  const bad = results.filter(({ problem }) => problem !== null).length;
  const captured = results.filter(({ problem, waits }) => problem === null && !waits).length;
  return `${countOf(captured, 'hold')} captured${bad === 0 ? '' : `, ${bad} not`}`;
}

/** The outcome as a toast, for a person who has closed the dialog meanwhile. */
function toastOutcome(results: readonly CaptureResult[]): void {
  const waiting = results.filter(({ waits }) => waits).length;
  const rest = waiting === 0 ? '' : `, ${waiting} waiting for approval`;
  toast(outcomeOf(results) + rest, results.some(({ problem }) => problem !== null) ? 'bad' : 'good');
}

/**
 * Captures several holds, a few at a time, each with its own idempotency key. For a component that is mounted only while
 * its dialog is open.
 */
export function useCaptures(payments: readonly Payment[]) {
  const account = useParam('account');
  const queries = useQueryClient();
  const [keys] = useState(() => new Map(payments.map(({ id }) => [id, newIdempotencyKey()])));
  const [results, setResults] = useState<readonly CaptureResult[]>([]);
  const [isRunning, setRunning] = useState(false);
  const opening = useOpening(true);
  async function capture(payment: Payment): Promise<Omit<CaptureResult, 'payment'>> {
    const { id, amount } = payment;
    const idempotencyKey = keys.get(id) ?? newIdempotencyKey();
    try {
      const after = await call(
        'capturePayment',
        { account },
        { params: { id }, body: { amount }, idempotencyKey },
      );
      if (after.object === 'approval') return { problem: null, waits: true };
      const problem = after.failure && `declined: ${failureText(after.failure.code).title}`;
      return { problem, waits: false };
    } catch (error) {
      return { problem: error instanceof Error ? error.message : 'not known', waits: false };
    }
  }
  async function run(): Promise<void> {
    setRunning(true);
    const isStillOpen = opening.mark();
    const done: CaptureResult[] = [];
    const waiting = [...payments];
    const work = async () => {
      for (let payment = waiting.shift(); payment !== undefined; payment = waiting.shift()) {
        done.push({ payment, ...(await capture(payment)) });
        setResults([...done]);
      }
    };
    await Promise.all(Array.from({ length: places }, work));
    setRunning(false);
    if (!isStillOpen()) toastOutcome(done);
    await refreshAll(queries, ['listPayments', 'retrievePayment', 'retrieveHome', 'listApprovals']);
  }
  return { results, isRunning, run };
}
