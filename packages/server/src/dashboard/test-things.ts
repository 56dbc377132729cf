import { type DashboardOperation, rolesFor } from '@till/contract/dashboard';
import { Type } from 'typebox';
import type { DashboardAnswer } from './api.ts';
import type { DashboardKit } from './test-kit.ts';

const Thing = Type.Object({ id: Type.String(), amount: Type.Integer() });
const one = '/accounts/:account/things/:id';
/** One operation of each kind. */
export const operations = {
  view: { id: 'view', method: 'GET', path: one, roles: rolesFor.viewing, answers: { 200: Thing } },
  develop: {
    id: 'develop',
    method: 'POST',
    movesMoney: false,
    path: `${one}/develop`,
    roles: rolesFor.developing,
    answers: { 200: Thing },
  },
  money: {
    id: 'money',
    method: 'POST',
    movesMoney: true,
    path: `${one}/money`,
    roles: rolesFor.money,
    sandboxRoles: ['developer'],
    idempotency: 'required',
    body: Type.Object({ amount: Type.Integer({ minimum: 1 }) }),
    answers: { 201: Thing },
    audit: 'thing.paid',
  },
  manage: {
    id: 'manage',
    method: 'PATCH',
    path: one,
    roles: rolesFor.managing,
    confirmation: true,
    answers: { 200: Thing },
    audit: 'thing.changed',
  },
  own: {
    id: 'own',
    method: 'DELETE',
    path: one,
    roles: rolesFor.owning,
    answers: { 200: Thing },
    audit: 'thing.closed',
  },
  anyone: {
    id: 'anyone',
    method: 'POST',
    movesMoney: false,
    path: '/anyone',
    roles: 'anyone',
    answers: { 200: Type.Object({}) },
  },
  signedIn: {
    id: 'signedIn',
    method: 'POST',
    movesMoney: false,
    path: '/mine',
    roles: 'signed_in',
    answers: { 200: Type.Object({}) },
  },
} as const satisfies Record<string, DashboardOperation>;

const thing = (id = '') => ({ status: 200, body: { id, amount: 1, secret: 'never listed' } });

/** Controls what the operation that moves money answers, and counts how often it did its work. */
export class Money {
  paid = 0;
  next: () => Promise<DashboardAnswer> = async () => ({ status: 201, text: '{"id":"thing_1","amount":5}' });

  async pay(): Promise<DashboardAnswer> {
    this.paid += 1;
    return this.next();
  }
}

/** Mounts the operations. The one that moves money stores its answer, as the features' operations do. */
export function mountThings({ api, idempotencyStore }: DashboardKit): Money {
  const money = new Money();
  for (const name of ['view', 'develop', 'own'] as const) {
    api.mount(operations[name], async ({ params }) => thing(params.id));
  }
  api.mount(operations.manage, async ({ params, audit }) => {
    await audit({ before: { amount: 1 }, after: { amount: 2 } });
    return thing(params.id);
  });
  api.mount(operations.money, async ({ claim, context }) => {
    const answer = await money.pay();
    if ('text' in answer && claim !== null) {
      const { tenant, now } = context;
      const kept = { resourceId: 'thing_1', status: answer.status, body: answer.text, createdAt: now };
      await idempotencyStore.keepAnswer({ tenant, ...claim }, claim, kept);
    }
    return answer;
  });
  api.mountSession(operations.anyone, async () => ({ status: 200, body: {} }));
  api.mountSession(operations.signedIn, async () => ({ status: 200, body: {} }));
  return money;
}

/** The path of an operation on one thing. */
export const to = (accountId: string, rest = '') => `/accounts/${accountId}/things/thing_1${rest}`;

export const codeOf = (reply: { readonly body: { readonly error?: { readonly code: string } } }) =>
  reply.body?.error?.code;
