import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, refreshAll } from '../../api/calls.ts';
import { newIdempotencyKey } from '../../api/idempotency-key.ts';
import { failureText } from '../../lib/wording/failure-texts.ts';
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

/** Captures several holds, a few at a time, each with its own idempotency key. */
export function useCaptures(payments: readonly Payment[]) {
  const account = useParam('account');
  const queries = useQueryClient();
  const [keys] = useState(() => new Map(payments.map(({ id }) => [id, newIdempotencyKey()])));
  const [results, setResults] = useState<readonly CaptureResult[]>([]);
  const [isRunning, setRunning] = useState(false);
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
    const waiting = [...payments];
    const work = async () => {
      for (let payment = waiting.shift(); payment !== undefined; payment = waiting.shift()) {
        const result = { payment, ...(await capture(payment)) };
        setResults((before) => [...before, result]);
      }
    };
    await Promise.all(Array.from({ length: places }, work));
    setRunning(false);
    await refreshAll(queries, ['listPayments', 'retrievePayment', 'retrieveHome', 'listApprovals']);
  }
  return { results, isRunning, run };
}
