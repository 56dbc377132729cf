import { type FormEvent, useState } from 'react';
import type { Answer } from '../../../api/calls.ts';
import { fieldError } from '../../../components/feedback/error-state.tsx';
import { toast } from '../../../components/feedback/toasts.tsx';
import { useDialogChange } from '../../../components/overlays/requests/dialog-change.ts';
import { fromDecimal, toDecimal } from '../../../lib/amounts/money.ts';

export type RoleLimits = Answer<'retrieveRefundLimits'>['data'][number];

export const maxLimits = 50;

export interface LimitRow {
  readonly id: number;
  readonly currency: string;
  /** The amount as typed, in major units. */
  readonly amount: string;
  readonly isNew: boolean;
}

const codeOf = (row: LimitRow): string => row.currency.trim().toUpperCase();

/** The validation errors of a row. */
function faultsIn(row: LimitRow, rows: readonly LimitRow[]) {
  const code = codeOf(row);
  const isTwice = rows.some((other) => other.id < row.id && codeOf(other) === code);
  const amount = fromDecimal(row.amount, code);
  return {
    currency: !/^[A-Z]{3}$/.test(code)
      ? 'Enter a code, like EUR.'
      : isTwice
        ? `${code} has a limit already.`
        : undefined,
    amount:
      amount === undefined
        ? `Enter an amount, like ${toDecimal(10_000, code)}.`
        : amount < 1
          ? 'Enter more than zero.'
          : undefined,
  };
}

const rowsOf = ({ limits }: RoleLimits): LimitRow[] =>
  limits.map(({ currency, amount }, id) => ({
    id,
    currency,
    amount: toDecimal(amount, currency),
    isNew: false,
  }));

interface SentLimit {
  readonly currency: string;
  /** Null removes the limit of the currency. */
  readonly amount: number | null;
  /** The row of the form that the limit comes from. */
  readonly row?: number;
}

/** The limits that differ from the form's initial values, so that changes that others made meanwhile are kept. */
function changesOf({ limits }: RoleLimits, rows: readonly LimitRow[]): SentLimit[] {
  const typed = rows.map((row) => ({
    currency: codeOf(row),
    amount: fromDecimal(row.amount, codeOf(row)) ?? 0,
    row: row.id,
  }));
  const isKept = ({ currency, amount }: { readonly currency: string; readonly amount: number }) =>
    limits.some((limit) => limit.currency === currency && limit.amount === amount);
  const removed = limits.filter(({ currency }) => typed.every((limit) => limit.currency !== currency));
  return [
    ...typed.filter((limit) => !isKept(limit)),
    ...removed.map(({ currency }) => ({ currency, amount: null })),
  ];
}

/** The form of one role's limits. */
export function useRefundLimitsForm(limits: RoleLimits, onClose: () => void) {
  const refreshed = ['retrieveRefundLimits', 'retrievePayment'] as const;
  const save = useDialogChange('updateRefundLimits', refreshed, { open: true, onClose });
  const [rows, setRows] = useState(() => rowsOf(limits));
  const [others, setOthers] = useState(limits.other_currencies);
  const [tried, setTried] = useState(false);
  const [sent, setSent] = useState<readonly SentLimit[]>([]);
  const faults = rows.map((row) => faultsIn(row, rows));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    const faulty = faults.some(({ currency, amount }) => currency !== undefined || amount !== undefined);
    if (save.busy || faulty) return;
    const changes = changesOf(limits, rows);
    if (changes.length === 0 && others === limits.other_currencies) return onClose();
    setSent(changes);
    const body = {
      role: limits.role,
      limits: changes.map(({ currency, amount }) => ({ currency, amount })),
      ...(others !== limits.other_currencies && { other_currencies: others }),
    };
    save.send({ body }, (_, close) => {
      close();
      toast('Refund limits changed');
    });
  };
  return {
    rows,
    others,
    setOthers,
    submit,
    busy: save.busy,
    error: save.error,
    faultsOf: (index: number) => {
      const position = sent.findIndex(({ row }) => row === rows[index]?.id);
      const fromServer = (field: 'currency' | 'amount') =>
        fieldError(save.error, `limits[${position}].${field}`);
      const typed = tried ? faults[index] : undefined;
      return {
        currency: typed?.currency ?? fromServer('currency'),
        amount: typed?.amount ?? fromServer('amount'),
      };
    },
    add: () =>
      setRows([
        ...rows,
        { id: Math.max(-1, ...rows.map(({ id }) => id)) + 1, currency: '', amount: '', isNew: true },
      ]),
    change: (id: number, change: Partial<Pick<LimitRow, 'currency' | 'amount'>>) =>
      setRows(rows.map((row) => (row.id === id ? { ...row, ...change } : row))),
    remove: (id: number) => setRows(rows.filter((row) => row.id !== id)),
  };
}
