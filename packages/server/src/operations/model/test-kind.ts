import type { PaymentCreate, Provider } from '@till/contract';
import { createPayment } from '../../payments/operations/create-payment.ts';
import { cardPayment } from '../../payments/test-kit.ts';
import type { NotificationEffect } from '../../processors/port/notifications.ts';
import type { Plan } from './test-ledger.ts';
import type { Process, Reply, Shop, World } from './test-world.ts';

/** A state in which an intent may end. */
export interface End {
  readonly status: string;
  readonly code?: string;
  /** What the processor carried out for it. */
  readonly effects: readonly string[];
  /** All events of the subject. */
  readonly events: readonly string[];
  /** The request is refused with 422, and nothing is stored under its key. */
  readonly isRefusal?: true;
}

/** A possible outcome: what the processor is set to do, and the end to which that leads. */
export interface Outcome {
  readonly plan: Partial<Plan>;
  readonly end: End;
}

/** The state of a subject. */
export interface State {
  readonly status: string;
  readonly code: string | null;
  /** As the API shows it. */
  readonly shown: object;
  /** What else is stored and has to be the same on every path. */
  readonly kept: unknown;
}

/** How the tests begin one kind of operation, and how it ends. */
export interface KindModel {
  readonly processors: readonly Provider[];
  readonly outcomes: Readonly<Record<string, Outcome>>;
  /** Further ends, for an operation that was never carried out. */
  readonly others?: readonly End[];
  /** Brings the subject to the state in which the operation begins. */
  prepare(shop: Shop, world: World): Promise<void>;
  /** Sends the request, or triggers what else begins the operation. A second call repeats the first. */
  ask(shop: Shop, process: Process): Promise<Reply | null>;
  /** Leaves the operation held by a process that is gone. Only for kinds that do not ask the processor at once. */
  readonly abandon?: (shop: Shop, process: Process) => Promise<void>;
  /** The processor's notification of what it did; null: there is none yet. */
  update(shop: Shop): NotificationEffect | null;
  read(shop: Shop, process: Process): Promise<State>;
}

export const both = ['processor_a', 'processor_b'] as const;

export const end = (status: string, effects: string[], events: string[], code?: string): End => ({
  status,
  effects,
  events,
  ...(code === undefined ? {} : { code }),
});
export const refusal = (status: string, events: string[], effects: string[] = []): End => ({
  ...end(status, effects, events),
  isRefusal: true,
});

export const pay = (shop: Shop, process: Process, key: string, request: PaymentCreate): Promise<Reply> =>
  shop.send(process, key, (context, idempotent) => {
    const client = { ip: '192.0.2.1', userAgent: null, accept: null };
    return createPayment(process.payments, context, { request, client, ...idempotent });
  });

/** Makes a payment that the processor has answered. @returns its id */
export async function paid(
  shop: Shop,
  world: World,
  charge: Plan['charge'],
  request = cardPayment,
): Promise<string> {
  const { plan } = shop.ledger;
  shop.ledger.plan = { ...plan, charge };
  await pay(shop, world.living, 'paid', request);
  shop.ledger.plan = plan;
  shop.ledger.effects.length = 0;
  shop.subject = await shop.begunWith('paid');
  return shop.subject;
}

export const nothing: State = { status: 'none', code: null, shown: {}, kept: null };

export const withoutKey = ({ lease }: Process) => ({ lease: lease(), claim: null });
