import { type FormEvent, useState } from 'react';
import { type Answer, type Body, useChange } from '../../api/calls.ts';
import { newIdempotencyKey } from '../../api/idempotency-key.ts';
import { announce } from '../../components/feedback/announcer.tsx';
import { fieldError } from '../../components/feedback/error-state.tsx';
import { fromDecimal } from '../../lib/amounts/money.ts';
import { statusLook } from '../../lib/wording/status.ts';
import type { Trigger } from './state.ts';
import { useRefreshAll } from './state.ts';

export type MadePayment = Answer<'simulatePayment'>;

const first = {
  amount: '49.90',
  currency: 'EUR',
  method: 'card',
  capture: 'automatic',
  authentication: '',
  email: '',
};
type Values = typeof first;
type PaymentInput = Body<'simulatePayment'>;

function inputOf(values: Values, amount: number, trigger: Trigger | undefined): PaymentInput {
  const typed = trigger?.field.startsWith('payment_method.') === true;
  const { method, capture, authentication, email } = values;
  return {
    amount,
    currency: values.currency.trim().toUpperCase(),
    ...(typed || method === 'card' ? {} : { method: method as NonNullable<PaymentInput['method']> }),
    ...(capture === 'manual' ? { capture_method: 'manual' } : {}),
    ...(authentication === ''
      ? {}
      : { authentication: authentication as NonNullable<PaymentInput['authentication']> }),
    ...(email.trim() === '' ? {} : { customer_email: email.trim() }),
    ...(trigger === undefined
      ? {}
      : {
          trigger: {
            field: trigger.field as NonNullable<PaymentInput['trigger']>['field'],
            value: trigger.value,
          },
        }),
  };
}

/**
 * The values of the form, their errors and the created payment. Each attempt has one idempotency key, so that a double
 * click creates one payment.
 */
export function usePaymentForm(trigger: Trigger | undefined) {
  const [values, setValues] = useState(first);
  const [tried, setTried] = useState(false);
  const [key, setKey] = useState(newIdempotencyKey);
  const [made, setMade] = useState<MadePayment>();
  const make = useChange('simulatePayment');
  const refresh = useRefreshAll();
  const currency = values.currency.trim().toUpperCase();
  const amount = /^[A-Z]{3}$/.test(currency) ? fromDecimal(values.amount, currency) : 1;
  const faults: Partial<Record<keyof Values, string>> = {
    ...(amount === undefined || amount < 1
      ? { amount: 'Enter an amount above zero, without more decimals than the currency has.' }
      : {}),
    ...(/^[A-Z]{3}$/.test(currency) ? {} : { currency: 'Enter three letters.' }),
  };
  const fromServer = {
    amount: fieldError(make.error, 'amount'),
    currency: fieldError(make.error, 'currency'),
    email: fieldError(make.error, 'customer_email') ?? fieldError(make.error, 'customer.email'),
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (make.isPending || amount === undefined || Object.keys(faults).length > 0) return;
    make.mutate(
      { body: inputOf(values, amount, trigger), idempotencyKey: key },
      {
        onSuccess(payment) {
          setMade(payment);
          announce(`Payment made: ${statusLook('payment', payment.status).word}`);
          setValues({ ...values, email: '' });
          refresh();
        },
        onSettled: () => setKey(newIdempotencyKey()),
      },
    );
  };
  return {
    values,
    set: (field: keyof Values, value: string) => setValues({ ...values, [field]: value }),
    faultOf: (field: keyof typeof fromServer) => (tried ? faults[field] : undefined) ?? fromServer[field],
    submit,
    made,
    busy: make.isPending,
    error: make.error,
  };
}

export type PaymentForm = ReturnType<typeof usePaymentForm>;
