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
import { useCallback, useEffect, useRef } from 'react';
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
const shell = { signedOut: () => {}, confirm: async () => false, failed: (_error: Error) => {} };

/**
 * Sets the callbacks for an ended session, for asking the person for their password, and for the failure of a change
 * whose component is no longer there to show it.
 */
export function connectShell(given: typeof shell): void {
  Object.assign(shell, given);
}

const client = createClient<{ readonly [K in OperationName]: Answer<K> }>({
  operations: tillOperations,
  fetch: watchedFetch,
  signedOut: () => shell.signedOut(),
  confirm: () => shell.confirm(),
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

/** What one request of a change does once its outcome is known. */
export interface Outcome<K extends OperationName> {
  readonly onSuccess?: (answer: Answer<K>) => void;
  readonly onError?: (error: ApiError) => void;
  readonly onSettled?: () => void;
}

type WithMutate<Result, Mutate> = Result extends unknown
  ? Omit<Result, 'mutate'> & { readonly mutate: Mutate }
  : never;

export type Change<K extends OperationName> = WithMutate<
  UseMutationResult<Answer<K>, ApiError, Input<K>>,
  (input: Input<K>, outcome?: Outcome<K>) => void
>;

/**
 * A mutation that calls an operation. On success it invalidates the queries named in `refresh`. `:account` is filled in
 * from the URL of the page.
 *
 * Unlike the library's, its `mutate` reports the outcome also if the component was unmounted before the response, for
 * example because a refetch removed the row with the button. An error without `onError` is then shown as a message.
 */
export function useChange<K extends OperationName>(
  name: K,
  refresh: readonly OperationName[] = [],
): Change<K> {
  const account = useAccountParam(name);
  const queries = useQueryClient();
  const change = useMutation<Answer<K>, ApiError, Input<K>>({
    mutationFn: (input) => call(name, account, input),
    onSuccess() {
      // Not awaited, so that the outcome is reported before the refetch ends.
      void refreshAll(queries, refresh);
    },
  });
  const isMounted = useRef(false);
  useEffect(() => {
    isMounted.current = true;
    return () => {
      isMounted.current = false;
    };
  }, []);
  const { mutateAsync } = change;
  const mutate = useCallback(
    (input: Input<K>, { onSuccess, onError, onSettled }: Outcome<K> = {}) => {
      const showIfUnmounted = (error: ApiError) => {
        if (!isMounted.current) shell.failed(error);
      };
      void mutateAsync(input)
        .then(onSuccess, onError ?? showIfUnmounted)
        .finally(onSettled);
    },
    [mutateAsync],
  );
  return { ...change, mutate };
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
