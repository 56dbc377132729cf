import type { SandboxDependencies } from '../../../packages/sandbox/src/lib/dependencies.ts';
import { isObject, type JsonObject, objectIn } from '../../../packages/sandbox/src/lib/json.ts';
import { randomReference } from '../../../packages/sandbox/src/lib/random.ts';
import { jsonResponse, readHeader, splitUrl } from '../../../packages/sandbox/src/lib/wire.ts';
import type { SimulatedWire } from '../../../packages/sandbox/src/simulator/simulator.ts';
import { capturing, refunding, waitingFor } from './effects.ts';
import { createStore, type Kept, type Payment, type Store } from './store.ts';

/** Holder names that make the card be declined, or make the bank ask for a challenge. */
export const declinedName = 'SIM-REFUSED';
export const challengedName = 'SIM-CHALLENGE';

interface Call {
  readonly account: string;
  readonly key: string;
  readonly body: JsonObject;
  /** A new id for the object that the request creates. */
  readonly id: string;
}

const refuse = (status: number, error: string): Kept => ({ status, body: { error } });

const paymentOf = (body: JsonObject): Payment => ({
  reference: String(body.reference),
  amount: Number(body.amount),
  currency: String(body.currency),
  returnUrl: String(body.return_url),
});

/**
 * The simulated upstream: charges and refunds that are final with their response, and challenges of the bank.
 */
export function createProcessorC(deps: SandboxDependencies): SimulatedWire {
  const store = createStore(deps);
  return {
    async handle(request) {
      const { path } = splitUrl(request.url);
      const account = /^Bearer (\S+)$/.exec(readHeader(request, 'authorization') ?? '')?.[1];
      const text = request.body.toString('utf8');
      const body: unknown = text === '' ? {} : JSON.parse(text);
      const call = {
        account: account ?? '',
        key: readHeader(request, 'idempotency-key') ?? '',
        body: isObject(body) ? body : {},
        id: randomReference(deps.randomBytes(16)),
      };
      const { status, body: answer } =
        account === undefined ? refuse(401, 'unauthorized') : await answerTo(deps, store, path, call);
      return jsonResponse(status, JSON.stringify(answer));
    },
  };
}

async function answerTo(deps: SandboxDependencies, store: Store, path: string, call: Call): Promise<Kept> {
  const known = call.key === '' ? undefined : await store.keptUnder(call.account, call.key);
  if (known !== undefined) return known;
  const [, id = '', step] = /^\/v1\/charges\/([A-Z0-9]+)(\/complete)?$/.exec(path) ?? [];
  if (path === '/v1/charges') return charge(deps, store, call);
  if (step !== undefined) return complete(store, call, id);
  if (id !== '') return present(store, call, id);
  if (path === '/v1/cancellations') return cancel(store, call);
  if (path === '/v1/refunds') return refund(store, call);
  return path === '/v1/account' ? { status: 200, body: {} } : refuse(404, 'unknown_path');
}

function charge(deps: SandboxDependencies, store: Store, { account, key, body, id }: Call): Promise<Kept> {
  const name = objectIn(body, 'card').name;
  const payment = paymentOf(body);
  const answer = (status: string, more: object = {}): Kept => ({
    status: 201,
    body: { id, status, ...more },
  });
  if (name === undefined) return store.settle(account, key, id, refuse(422, 'card_required'));
  if (name === declinedName) {
    return store.settle(account, key, id, answer('declined', { decline_code: 'insufficient_funds' }));
  }
  if (name === challengedName) {
    const page = randomReference(deps.randomBytes(16));
    const redirect_url = `${deps.publicUrl()}/sandbox/processor-c/challenge/${page}`;
    const waits = waitingFor(page, id, payment);
    return store.settle(account, key, id, answer('awaiting_buyer', { redirect_url }), waits);
  }
  return store.settle(account, key, id, answer('captured'), capturing(id, payment));
}

async function complete(store: Store, { account, key }: Call, id: string): Promise<Kept> {
  const waiting = await store.find('psp_reference', id);
  if (waiting === undefined) return refuse(404, 'unknown_charge');
  if (waiting.outcome === null) return { status: 200, body: { id, status: 'awaiting_buyer' } };
  await store.move(waiting.id, 'answered', 'completed', waiting.outcome);
  const answer = (body: object): Kept => ({ status: 200, body: { id, ...body } });
  return waiting.outcome === 'approved'
    ? store.settle(account, key, id, answer({ status: 'captured' }), capturing(id, waiting))
    : store.settle(account, key, id, answer({ status: 'declined', decline_code: 'authentication_failed' }));
}

async function present(store: Store, { account }: Call, id: string): Promise<Kept> {
  if ((await store.captured(account, id)) !== undefined) {
    return { status: 200, body: { id, status: 'captured' } };
  }
  const waiting = await store.find('psp_reference', id);
  if (waiting !== undefined) {
    const status = waiting.state === 'cancelled' ? 'cancelled' : 'awaiting_buyer';
    return { status: 200, body: { id, status } };
  }
  const body = await store.firstAnswer(account, id);
  return body === undefined ? refuse(404, 'unknown_charge') : { status: 200, body };
}

async function cancel(store: Store, { account, body }: Call): Promise<Kept> {
  const reference = String(body.reference);
  if ((await store.captured(account, reference)) !== undefined) return refuse(409, 'already_captured');
  const waiting = await store.find('reference', reference);
  if (waiting !== undefined) await store.move(waiting.id, 'open', 'cancelled', null);
  return { status: 200, body: { status: 'cancelled' } };
}

async function refund(store: Store, { account, key, body, id }: Call): Promise<Kept> {
  const paid = await store.captured(account, String(body.charge));
  if (paid === undefined) return refuse(404, 'unknown_charge');
  const amount = Number(body.amount);
  if (amount > paid.left) return refuse(422, 'amount_too_high');
  const given = {
    reference: String(body.reference),
    payment: paid.reference,
    amount,
    currency: String(body.currency),
  };
  return store.settle(account, key, id, { status: 201, body: { id, status: 'done' } }, refunding(id, given));
}
