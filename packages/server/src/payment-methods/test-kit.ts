import { randomBytes } from 'node:crypto';
import type { AccountContext } from '../accounts/context.ts';
import { createCustomer } from '../customers/customers.ts';
import { CustomerStore } from '../customers/store.ts';
import { newId } from '../lib/ids.ts';
import { OperationWaits } from '../lib/waiting/operation-waits.ts';
import { suspendNothing } from '../lib/waiting/suspend.ts';
import { OperationStore } from '../operations/store.ts';
import type {
  ClientTokenOutcome,
  ClientTokenRequest,
  RemoveInstrumentOutcome,
  RemoveInstrumentRequest,
} from '../processors/port/instruments.ts';
import type { ProcessorConnection, ProcessorPort } from '../processors/port/port.ts';
import { cte, json, keyColumns } from '../store/columns.ts';
import type { Database } from '../store/database.ts';
import { instanceLockClass } from '../store/instance.ts';
import { checkMasterKey, deriveMasterKeys } from '../vault/master-keys.ts';
import { createTestDatabase, TestClock, tenantIn } from '../vault/test-database.ts';
import { Vault } from '../vault/vault.ts';
import { type MethodToSave, type PaymentMethodDependencies, prepareMethod } from './payment-methods.ts';
import { insertPaymentMethods, type NewPaymentMethod, PaymentMethodStore } from './store.ts';

/** Stands in for a processor: records what it is asked and gives the answers that the test sets. */
export class FakeProcessor {
  readonly removals: (RemoveInstrumentRequest & { readonly connection: string })[] = [];
  readonly clientTokens: ClientTokenRequest[] = [];
  remove: () => RemoveInstrumentOutcome | Promise<never> = () => ({ kind: 'removed' });
  mint: () => ClientTokenOutcome = () => ({
    kind: 'minted',
    token: 'tok_browser',
    clientId: 'client_1',
    lifetimeSeconds: 900,
  });

  /** @param hasWallets false: like processor_a, which has no tokens for a browser SDK */
  port(hasWallets: boolean): ProcessorPort {
    const port = {
      removeInstrument: async (connection: ProcessorConnection, request: RemoveInstrumentRequest) => {
        this.removals.push({ ...request, connection: nameOf(connection) });
        return this.remove();
      },
      ...(hasWallets && {
        clientToken: async (_connection: ProcessorConnection, request: ClientTokenRequest) => {
          this.clientTokens.push(request);
          return this.mint();
        },
      }),
    };
    return port as unknown as ProcessorPort;
  }
}

const nameOf = (connection: Pick<ProcessorConnection, 'accountId' | 'livemode'>) =>
  `${connection.accountId} ${connection.livemode ? 'live' : 'test'}`;

/** The context of a request. `changes` may set another mode or processor. */
const contextAt = (now: Date, accountId: string, changes: Partial<AccountContext> = {}): AccountContext => ({
  ...tenantIn(accountId, changes.livemode),
  keyId: 'key_1',
  restriction: null,
  accountName: 'Shop',
  timeZone: 'UTC',
  now,
  processor: 'processor_b',
  activation: 'active',
  storePaymentMethodDefault: true,
  connection: { connected: true, threeDSecure: 'off' },
  suspend: suspendNothing,
  ...changes,
});

const owner = 1;

/** Saved methods with a real database and a fake processor. */
export async function createMethodsWorld() {
  const database = await createTestDatabase();
  const { db } = database;
  const clock = new TestClock();
  const masterKeys = deriveMasterKeys(randomBytes(32), null);
  await checkMasterKey(db, masterKeys, clock.now());
  // The lock shows that this process lives, so its leases hold.
  const alive = await db.session();
  await alive.query({
    text: 'select pg_advisory_lock($1::int, $2::int)',
    values: [instanceLockClass, owner],
  });
  const processor = new FakeProcessor();
  const incidents: string[] = [];
  const connection = { isThere: true, identity: 'test:Shop' };
  const deps: PaymentMethodDependencies = {
    db,
    operations: new OperationStore({ db, clock }, owner),
    waits: new OperationWaits(clock),
    lease: () => ({ owner, until: new Date(clock.now().getTime() + 195_000) }),
    store: new PaymentMethodStore(db),
    customers: { store: new CustomerStore(db), clock, randomBytes, write: JSON.stringify },
    vault: new Vault({ db, clock, randomBytes, masterKeys }),
    clock,
    randomBytes,
    connect: ({ accountId, livemode, processor: name }) =>
      connection.isThere
        ? {
            port: processor.port(name === 'processor_b'),
            connection: { accountId, livemode } as ProcessorConnection,
            identity: connection.identity,
          }
        : undefined,
    onIncident: (_account, message) => incidents.push(message),
  };
  return {
    database: {
      ...database,
      async drop() {
        alive.release();
        await database.drop();
      },
    },
    clock,
    processor,
    incidents,
    connection,
    deps,
    context: (accountId: string, changes?: Partial<AccountContext>) =>
      contextAt(clock.now(), accountId, changes),
    /** Creates a customer. @returns its id */
    async addCustomer(where: AccountContext): Promise<string> {
      const email = `${randomBytes(6).toString('hex')}@shop.example`;
      const text = await createCustomer(deps.customers, where, { email }, null);
      return (JSON.parse(text ?? '') as { id: string }).id;
    },
    commit: (where: AccountContext, row: NewPaymentMethod | null) => commitMethod(db, where, row),
    /** Saves a method for this customer. @returns its id */
    async save(where: AccountContext, customerId: string, changes: Changes = {}): Promise<string> {
      // Ids sort by milliseconds, and the test clock stands still.
      clock.move(1);
      const { id, row } = await prepareMethod(deps, where, savedCard(customerId, clock.now(), changes));
      if (id === null) throw new Error('nothing was saved');
      await commitMethod(db, where, row);
      return id;
    },
  };
}

/** Inserts a prepared method as a payment's commit does. */
export async function commitMethod(
  db: Database,
  where: AccountContext,
  row: NewPaymentMethod | null,
): Promise<void> {
  await db.query({
    text: `with settled as (select $1::int as tenant, 'pay_1' as id, $2::json as new_method)
           ${insertPaymentMethods(cte('settled', { ...keyColumns, new_method: json() }))}`,
    values: [where.tenant, row && JSON.stringify(row)],
    scope: where,
  });
}

type Changes = Partial<MethodToSave> & { readonly token?: string };

/** A Visa card that expires in 12/2030, with a token of its own, unless `changes` says otherwise. */
export function savedCard(customerId: string, at: Date, { token, ...changes }: Changes = {}): MethodToSave {
  return {
    customerId,
    type: 'card',
    brand: 'visa',
    bin: '411111',
    last4: '1111',
    expMonth: 12,
    expYear: 2030,
    model: 'card_on_file',
    saved: { token: token ?? randomBytes(8).toString('hex'), upstreamCustomer: null },
    networkTransactionReference: 'ntr-1',
    savedBy: newId('pay', at, randomBytes),
    begunAt: at,
    processorIdentity: 'test:Shop',
    at,
    ...changes,
  };
}
