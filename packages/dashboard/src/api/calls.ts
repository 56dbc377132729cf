import {
  hashKey,
  keepPreviousData,
  type QueryClient,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { dashboardApi } from '@till/contract/dashboard';
import type { Static, TSchema } from 'typebox';
import { watchedFetch } from '../lib/browser/connection.ts';
import { noteAge } from './ages.ts';
import { type ApiError, type CallInput, createClient, type Operations } from './client.ts';

export { ApiError } from './client.ts';

/** Generated from the contract by the build. */
declare const tillOperations: Operations;

type Api = typeof dashboardApi;
export type OperationName = keyof Api;

type StaticOf<S> = S extends TSchema ? Static<S> : never;
type ParamsOf<P extends string> = P extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer More}`
    ? Name | ParamsOf<More>
    : Rest
  : never;
type PartOf<K extends OperationName, Part extends string> =
  Api[K] extends Record<Part, infer S> ? StaticOf<S> : undefined;

/** The successful response of an operation. */
export type Answer<K extends OperationName> = K extends OperationName
  ? StaticOf<Api[K]['answers'][keyof Api[K]['answers'] & (200 | 201 | 202)]>
  : never;
/** The request body of an operation. */
export type Body<K extends OperationName> = PartOf<K, 'body'>;
/** The query parameters of an operation. */
export type Query<K extends OperationName> = PartOf<K, 'query'>;

/** The path parameters that a caller has to pass. The parameters in `Given` are filled in elsewhere. */
type Needed<K extends OperationName, Given extends string> = [
  Exclude<ParamsOf<Api[K]['path']>, Given>,
] extends [never]
  ? unknown
  : { readonly params: Readonly<Record<Exclude<ParamsOf<Api[K]['path']>, Given>, string>> };

/** The input of a query. */
type ReadInput<K extends OperationName> = CallInput &
  Needed<K, 'account'> & { readonly body?: undefined; readonly query?: Query<K> };

/** The input of an operation, without the account id. */
export type Input<K extends OperationName> = CallInput &
  Needed<K, 'account'> &
  (Body<K> extends undefined ? { readonly body?: undefined } : { readonly body: Body<K> }) & {
    readonly query?: Query<K>;
  };

/** Operations whose only path parameter is the account. */
type PlainName = { [K in OperationName]: unknown extends Needed<K, 'account'> ? K : never }[OperationName];

/** Callbacks of the shell, set once before the first call. */
const handlers = { signedOut: () => {}, confirm: async () => false };

/** Sets the callbacks for an ended session and for asking the person for their password. */
export function handleSession(given: { signedOut: () => void; confirm: () => Promise<boolean> }): void {
  Object.assign(handlers, given);
}

const client = createClient<{ readonly [K in OperationName]: Answer<K> }>({
  operations: tillOperations,
  fetch: watchedFetch,
  signedOut: () => handlers.signedOut(),
  confirm: () => handlers.confirm(),
});

/**
 * Calls an operation of the contract. Signs out on `not_signed_in` and asks for the password on
 * `confirmation_required`.
 * @param account fills in `:account`
 * @throws ApiError
 */
export const call = <K extends OperationName>(
  name: K,
  account: Readonly<Record<string, string>>,
  input: Input<K>,
): Promise<Answer<K>> => client.call(name, { ...input, params: { ...account, ...input.params } });

/** The URL of an operation that returns a file, for a link. */
export const addressOf = <K extends OperationName>(
  name: K,
  input: CallInput & { readonly query?: Query<K> },
): string => client.addressOf(name, input);

/** The account of the page, if the path of the operation contains one. */
function useAccountParam(name: OperationName): Readonly<Record<string, string>> {
  const { account }: Readonly<Record<string, string | undefined>> = useParams({ strict: false });
  const isNamed = tillOperations[name]?.[1].includes(':account') === true;
  return isNamed && account !== undefined ? { account } : {};
}

export interface CallOptions {
  /** If false, the query is not sent yet. */
  readonly enabled?: boolean;
  /** Milliseconds between two refetches while the page is visible. */
  readonly every?: number | undefined;
  /** Keeps showing the previous page while the next one loads. */
  readonly keep?: boolean;
}

type Read<K extends OperationName> = UseQueryResult<Answer<K>, ApiError>;

/**
 * Queries an operation and caches its response under `[name, params, query]`. `:account` is filled in from the URL of
 * the page.
 */
export function useCall<K extends PlainName>(name: K): Read<K>;
export function useCall<K extends OperationName>(
  name: K,
  input: ReadInput<K>,
  options?: CallOptions,
): Read<K>;
export function useCall<K extends OperationName>(
  name: K,
  input: CallInput = {},
  { enabled = true, every, keep = false }: CallOptions = {},
): Read<K> {
  const params = { ...useAccountParam(name), ...input.params };
  const queryKey = [name, params, input.query ?? {}];
  return useQuery<Answer<K>, ApiError>({
    queryKey,
    queryFn: ({ signal }) =>
      client.call(name, {
        ...input,
        params,
        signal,
        onAge: (seconds) => noteAge(hashKey(queryKey), seconds),
      }),
    enabled,
    ...(every === undefined ? {} : { refetchInterval: every }),
    ...(keep ? { placeholderData: keepPreviousData } : {}),
  });
}

/**
 * A mutation that calls an operation. On success it invalidates the queries named in `refresh`. `:account` is filled in
 * from the URL of the page.
 */
export function useChange<K extends OperationName>(
  name: K,
  refresh: readonly OperationName[] = [],
): UseMutationResult<Answer<K>, ApiError, Input<K>> {
  const account = useAccountParam(name);
  const queries = useQueryClient();
  return useMutation<Answer<K>, ApiError, Input<K>>({
    mutationFn: (input) => call(name, account, input),
    onSuccess() {
      // Not awaited: the refetch may unmount the component whose own `onSuccess` has yet to run.
      void refreshAll(queries, refresh);
    },
  });
}

/** The query key of an operation without parameters. */
export const cacheKey = (name: OperationName): readonly unknown[] => [name, {}, {}];

/**
 * Prefetches an operation for a component that shows its response later.
 * @param params path parameters of the operation
 */
export const prefetch = (
  queries: QueryClient,
  name: OperationName,
  params: Readonly<Record<string, string>> = {},
): void =>
  void queries.prefetchQuery({
    queryKey: [name, params, {}],
    queryFn: ({ signal }) => client.call(name, { params, signal }),
  });

/** Invalidates the queries of these operations. */
export const refreshAll = (queries: QueryClient, names: readonly OperationName[]): Promise<unknown> =>
  Promise.all(names.map((name) => queries.invalidateQueries({ queryKey: [name] })));
