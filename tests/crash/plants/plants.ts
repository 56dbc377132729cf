import { randomUUID } from 'node:crypto';
import type { Provider } from '@till/contract';
import { eventColumns, insertEvents } from '../../../packages/server/src/events/events.ts';
import type { WireRequest, WireResponse } from '../../../packages/server/src/processors/wire/transport.ts';
import { cte, int, keyColumns, rowsOfJson } from '../../../packages/server/src/store/columns.ts';
import type { Database } from '../../../packages/server/src/store/database.ts';
import type { ScopedStatement } from '../../../packages/server/src/store/scope.ts';
import { commitName } from '../commit-name.ts';
import {
  noDoubtAfterADay,
  noMerchantKept,
  noRefundLock,
  noRefundSum,
  noVersionCheck,
  unknownIsFailed,
} from './guards.ts';
import { noPlant, type Plant, rewriting } from './plant.ts';

const keyHeaders: Readonly<Record<Provider, string>> = {
  processor_a: 'idempotency-key',
  processor_b: 'paypal-request-id',
};

const json = (status: number, body: object): WireResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify(body)),
});

/** Every request to a processor has a new idempotency key, even a retry. */
const newKeyPerTry: Plant = {
  ...noPlant,
  wrapProcessorTransport: (processor, usual) => (request) =>
    usual(withHeader(request, keyHeaders[processor], randomUUID())),
};

const withHeader = (request: WireRequest, name: string, value: string): WireRequest =>
  request.headers[name] === undefined
    ? request
    : { ...request, headers: { ...request.headers, [name]: value } };

/** Looking up an order finds nothing once the order is paid. */
const noLookUp: Plant = {
  ...noPlant,
  wrapProcessorTransport: (_processor, usual) => async (request) => {
    const answer = await usual(request);
    const isPaid = request.method === 'GET' && answer.body.includes('"COMPLETED"');
    return isPaid ? json(404, { name: 'RESOURCE_NOT_FOUND' }) : answer;
  },
};

/** A charge counts as successful although the request was never sent to the processor. */
const neverAsked: Plant = {
  ...noPlant,
  wrapProcessorTransport: (_processor, usual) => async (request) =>
    request.url.endsWith('/payments')
      ? json(200, { pspReference: 'PLANTED000000001', resultCode: 'Authorised' })
      : usual(request),
};

/** Each delivery attempt of an event has a different event id. */
const newEventIdPerAttempt: Plant = {
  ...noPlant,
  wrapReceiverTransport: (usual) => ({
    ...usual,
    send: (request) =>
      usual.send({ ...request, body: request.body.replace(/"evt_[^"]*"/, `"evt_${randomUUID()}"`) }),
  }),
};

type Input = Readonly<Record<string, unknown>>;

/** Plants a fault into the commit of a payment's outcome. */
const settlingBy =
  (settle: (db: Database, statement: ScopedStatement, input: readonly Input[]) => Promise<unknown[]>) =>
  (): Plant => {
    let isPlanted = false;
    return {
      ...noPlant,
      database: (db) => ({
        ...db,
        async query<Row>(statement: ScopedStatement): Promise<Row[]> {
          if (commitName(statement.name ?? '') !== 'insert_payments') return db.query<Row>(statement);
          isPlanted = true;
          const input = JSON.parse(String(statement.values?.[0])) as Input[];
          return (await settle(db, statement, input)) as Row[];
        },
      }),
      missing: () => (isPlanted ? [] : ['insert_payments was never run']),
    };
  };

const withInput = (statement: ScopedStatement, input: readonly Input[]): ScopedStatement => ({
  ...statement,
  values: [JSON.stringify(input)],
});

const noEvent = Object.fromEntries(Object.keys(eventColumns).map((column) => [column, null]));

/** The object that the event would store. */
const objectOf = ({ event_object: object }: Input) => (typeof object === 'string' ? object : null);

const eventInput = { n: int, ...keyColumns, ...eventColumns } as const;

const writeEventsSql = `with input as (select * from ${rowsOfJson(eventInput)}),
  ${insertEvents(cte('input', eventInput))}
  select event_id from with_event`;

/** The payment is settled in one commit, and its event is written in a second one. */
const eventAfterCommit = settlingBy(async (db, statement, input) => {
  const stripped = input.map((row) => ({ ...row, idem_body: row.idem_body ?? objectOf(row), ...noEvent }));
  const won = await db.query<{ n: number }>(withInput(statement, stripped));
  const written = input.filter((row) => won.some(({ n }) => n === row.n));
  await db.query({
    name: 'planted_event',
    text: writeEventsSql,
    values: [JSON.stringify(written)],
    scope: 'everybody',
  });
  return won;
});

const otherBody = [['as body,', `|| ' ' as body,`]] as const;
/** A replayed response differs from the first one by a byte. */
const otherAnswerReplayed = (): Plant =>
  rewriting([
    { statement: 'authenticate', changes: otherBody },
    { statement: 'read_idempotency_keys', changes: otherBody, mayRest: true },
  ]);

/** The plants, each of which is put into one server. */
export const plants = {
  newKeyPerTry: () => newKeyPerTry,
  noLookUp: () => noLookUp,
  neverAsked: () => neverAsked,
  eventAfterCommit,
  newEventIdPerAttempt: () => newEventIdPerAttempt,
  otherAnswerReplayed,
  noVersionCheck,
  unknownIsFailed,
  noDoubtAfterADay,
  noMerchantKept,
  noRefundLock,
  noRefundSum,
} as const;
