import { type Static, Type } from 'typebox';
import { CappedPageOf, type DashboardOperation, IsoTime, rolesFor } from '../../api/dashboard-operation.ts';
import { Nullable, PageQuery, Text } from '../../primitives/common.ts';

/** A request to the merchant API. Its times are real time. */
export const RequestLine = Type.Object({
  id: Type.String({ description: 'The Service-Request-Id.' }),
  at: IsoTime,
  method: Type.String(),
  path: Type.String(),
  query: Nullable(Type.String()),
  route: Type.String(),
  status: Type.Integer(),
  code: Nullable(Type.String()),
  duration_ms: Type.Integer(),
  key: Type.Object({
    id: Type.String(),
    name: Nullable(Type.String()),
    hint: Nullable(Type.String()),
    /** What it may do as a restricted key; null for a full one. */
    permissions: Nullable(Type.Array(Type.String())),
  }),
  ip: Type.String(),
  /** The answer was that of an earlier request with the same idempotency key. */
  replayed: Type.Boolean(),
  idempotency_hint: Nullable(Type.String({ description: "The key's last characters." })),
  payment: Nullable(Type.String()),
  refund: Nullable(Type.String()),
  customer: Nullable(Type.String()),
});
export type RequestLine = Static<typeof RequestLine>;

/** A body without card data, cut where it is long. */
const KeptBody = Type.Object({
  /** JSON text; null where there was none or `note` says why it is not kept. */
  text: Nullable(Type.String()),
  note: Nullable(Type.Enum(['not_json', 'too_large', 'file', 'unused'])),
  bytes: Type.Integer(),
});
export type KeptBody = Static<typeof KeptBody>;

/** How a request that was refused with key_reused differs from the first one of its key. */
export const KeyReuse = Type.Object({
  /** Null: not in the log, because it is older or was left out under load. */
  first: Nullable(Type.Object({ id: Type.String(), at: IsoTime })),
  differences: Type.Array(
    Type.Object({
      path: Type.String(),
      /** JSON; null: the field was not sent. */
      first: Nullable(Type.String()),
      now: Nullable(Type.String()),
    }),
  ),
  /** Fields in both whose values are not kept: they may differ. */
  unknown: Type.Array(Type.String()),
});
export type KeyReuse = Static<typeof KeyReuse>;

export const RequestLogQuery = Type.Object({
  ...PageQuery,
  status: Type.Optional(Type.Enum(['2xx', '4xx', '5xx'])),
  method: Type.Optional(Type.Enum(['GET', 'POST', 'PATCH', 'DELETE'])),
  route: Type.Optional(Text(200)),
  code: Type.Optional(Text(100)),
  key: Type.Optional(Text(100)),
  search: Type.Optional(Text(100, 'A Service-Request-Id.')),
  payment: Type.Optional(Text(100)),
  from: Type.Optional(IsoTime),
  to: Type.Optional(IsoTime),
});
export type RequestLogQuery = Static<typeof RequestLogQuery>;

/** Requests of the last 30 days that named a key of the account, in its present environment. */
export const requestLogOperations = {
  listRequestLogs: {
    id: 'listRequestLogs',
    method: 'GET',
    path: '/accounts/:account/request_logs',
    roles: rolesFor.developing,
    query: RequestLogQuery,
    answers: { 200: CappedPageOf(RequestLine) },
  },
  retrieveRequestLog: {
    id: 'retrieveRequestLog',
    method: 'GET',
    path: '/accounts/:account/request_logs/:id',
    roles: rolesFor.developing,
    answers: {
      200: Type.Object({
        request: RequestLine,
        body: KeptBody,
        answer: KeptBody,
        /** What the request was accepted without. */
        warnings: Type.Array(Type.Object({ param: Type.String(), message: Type.String() })),
        reuse: Nullable(KeyReuse),
      }),
    },
  },
  /** What the filters of requests, events and deliveries offer. */
  retrieveDeveloperFilters: {
    id: 'retrieveDeveloperFilters',
    method: 'GET',
    path: '/accounts/:account/developer_filters',
    roles: rolesFor.viewing,
    answers: {
      200: Type.Object({
        routes: Type.Array(Type.String()),
        codes: Type.Array(Type.String()),
        event_types: Type.Array(Type.String()),
      }),
    },
  },
} as const satisfies Record<string, DashboardOperation>;
