import type { PaymentCreate, Provider } from '@till/contract';
import { createPayment } from '../../payments/operations/create-payment.ts';
import { cardPayment } from '../../payments/test-kit.ts';
import type { NotificationEffect } from '../../processors/port/notifications.ts';
import type { Plan } from './test-ledger.ts';
import type { Process, Reply, Shop, World } from './test-world.ts';

/** Where an intent may lead. */
export interface End {
  readonly status: string;
  readonly code?: string;
  /** What the processor did for it. */
  readonly effects: readonly string[];
  /** All events of the subject. */
  readonly events: readonly string[];
  /** Refused: the request gets 422, and nothing is kept under its key. */
  readonly isRefusal?: true;
}

/** An outcome that the processor may give: what it is to do, and where that leads. */
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
  /** What else is kept of it. */
  readonly kept: unknown;
}

/** How one kind of operation comes about and ends. */
export interface KindModel {
  readonly processors: readonly Provider[];
  readonly outcomes: Readonly<Record<string, Outcome>>;
  /** Where it leads if it never was carried out. */
  readonly others?: readonly End[];
  /** Brings the subject to where the operation begins. */
  prepare(shop: Shop, world: World): Promise<void>;
  /** The request, or what else asks for it; again where it was asked for before. */
  ask(shop: Shop, process: Process): Promise<Reply | null>;
  /** Its process ends holding the operation, of a kind that asks nobody or not at once. */
  readonly abandon?: (shop: Shop, process: Process) => Promise<void>;
  /** What the processor reports of what it did; null: nothing yet. */
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

/** A payment that is settled already. */
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
