import { type Static, Type } from 'typebox';
import { CappedPageOf, type DashboardOperation, IsoTime, rolesFor } from '../../api/dashboard-operation.ts';
import { Nullable, PageQuery, Text } from '../../primitives/common.ts';

/** A logged request to the merchant API. Its times are real time. */
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
    /** Permissions of a restricted key. Null for a full key. */
    permissions: Nullable(Type.Array(Type.String())),
  }),
  ip: Type.String(),
  /** Whether the response was that of an earlier request with the same idempotency key. */
  replayed: Type.Boolean(),
  idempotency_hint: Nullable(Type.String({ description: "The key's last characters." })),
  payment: Nullable(Type.String()),
  refund: Nullable(Type.String()),
  customer: Nullable(Type.String()),
});
export type RequestLine = Static<typeof RequestLine>;

/** A stored body without card data, truncated if it is long. */
const KeptBody = Type.Object({
  /** JSON text. Null if there was no body, or if it is not stored for the reason in `note`. */
  text: Nullable(Type.String()),
  note: Nullable(Type.Enum(['not_json', 'too_large', 'file', 'unused'])),
  bytes: Type.Integer(),
});
export type KeptBody = Static<typeof KeptBody>;

/** How a request that was rejected with key_reused differs from the first request with its key. */
export const KeyReuse = Type.Object({
  /** Null if the first request is not in the log, because it is older or was skipped under load. */
  first: Nullable(Type.Object({ id: Type.String(), at: IsoTime })),
  differences: Type.Array(
    Type.Object({
      path: Type.String(),
      /** JSON text. Null if the field was absent. */
      first: Nullable(Type.String()),
      now: Nullable(Type.String()),
    }),
  ),
  /** Fields in both requests whose values are not stored, so that they may differ. */
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

/** Requests of the last 30 days with a key of the account, in its current environment. */
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
        /** Fields that had no effect on the accepted request. */
        warnings: Type.Array(Type.Object({ param: Type.String(), message: Type.String() })),
        reuse: Nullable(KeyReuse),
      }),
    },
  },
  /** The values that the filters of requests, events and deliveries offer. */
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
