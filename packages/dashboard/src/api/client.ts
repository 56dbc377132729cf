/**
 * For each operation: its method, its path below `/dashboard/api` and, if it takes an upload, the form field of the
 * file.
 */
export type Operations = Readonly<
  Record<string, readonly [method: string, path: string, uploadField?: string]>
>;

export interface CallInput {
  readonly params?: Readonly<Record<string, string>>;
  /** Scalars and lists of scalars; undefined values are left out. */
  readonly query?: object | undefined;
  readonly body?: unknown;
  /** The file of an upload operation. */
  readonly file?: File;
  /** One key per dialog, so that pressing a button twice does not repeat the operation. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
  /** Called with the maximum age of the response in seconds; undefined if the response is current. */
  readonly onAge?: (seconds: number | undefined) => void;
}

/** An error response of the server, or `network_error` if the server could not be reached. */
export class ApiError extends Error {
  /** HTTP status; 0 if there was no response. */
  readonly status: number;
  readonly code: string;
  /** Path of the invalid field in the request body. */
  readonly param: string | undefined;
  readonly requestId: string | undefined;
  /** Seconds to wait before the next try. */
  readonly retryAfter: number | undefined;

  constructor(status: number, error: Partial<ErrorMembers>, retryAfter?: number) {
    super(error.message ?? 'Something went wrong on the server. Try again in a moment.');
    this.name = 'ApiError';
    this.status = status;
    this.code = error.code ?? 'internal_error';
    this.param = error.param;
    this.requestId = error.request_id;
    this.retryAfter = retryAfter;
  }
}

interface ErrorMembers {
  readonly code: string;
  readonly message: string;
  readonly param: string;
  readonly request_id: string;
}

/** The person declined to give their password. Nothing failed, so there is no request id to look up. */
const notConfirmed = {
  code: 'confirmation_required',
  message: 'Nothing was changed: your password was not given.',
} as const;

export interface ClientDependencies {
  readonly operations: Operations;
  readonly fetch: typeof fetch;
  /** Called when the server answers `not_signed_in`. */
  readonly signedOut: () => void;
  /** Asks the person for their password. @returns whether they gave it */
  readonly confirm: () => Promise<boolean>;
}

/** The successful response of each operation, by the operation's name. */
type AnswerMap = Readonly<Record<string, unknown>>;

export interface Client<Answers extends AnswerMap> {
  /** @throws ApiError */
  readonly call: <K extends keyof Answers & string>(name: K, input?: CallInput) => Promise<Answers[K]>;
  /** The address of an operation, for a link that downloads a file. */
  readonly addressOf: (name: string, input?: CallInput) => string;
}

const root = '/dashboard/api';

const anotherPerson = {
  code: 'csrf_failed',
  message: 'Somebody else has signed in in this browser. Nothing was changed: look who it is, and try again.',
};

/**
 * Replaces the server's text on key_reused, because people do not choose the key: after a lost response the same dialog
 * has sent a different request.
 */
const askedBefore = {
  code: 'key_reused',
  message:
    'What you asked for before has arrived, and this is something else. Nothing more was done: close this, look at what was done, and ask again if need be.',
};

/** The outcome is unknown. The text says whether the request can safely be repeated. */
function unreachable(method: string, { idempotencyKey }: CallInput) {
  const then =
    method === 'GET'
      ? 'This is loaded as soon as it answers again.'
      : idempotencyKey === undefined
        ? 'Whether this was done is not known: look once it answers again.'
        : 'Whether this was done is not known. Trying again here is safe: it is done once at most.';
  return { code: 'network_error', message: `The server cannot be reached. ${then}` };
}

/**
 * A client of the dashboard's API. It sends the session cookie and keeps the CSRF token. Responses are not validated
 * against `Answers`, because the server serialises them by the schemas that these types come from.
 */
export function createClient<Answers extends AnswerMap = AnswerMap>(
  deps: ClientDependencies,
): Client<Answers> {
  let csrfToken: string | undefined;
  /** The user whose session the CSRF token belongs to. */
  let userId: string | undefined;

  const operationOf = (name: string) => {
    const operation = deps.operations[name];
    if (operation === undefined) throw new Error(`no operation ${name}`);
    return operation;
  };

  const addressOf = (name: string, input: CallInput = {}) => {
    const path = operationOf(name)[1].replaceAll(/:([a-z_]+)/g, (_, key: string) => {
      const value = input.params?.[key];
      if (value === undefined) throw new Error(`${name} needs ${key}`);
      return encodeURIComponent(value);
    });
    const query = queryOf(input.query);
    return root + path + (query === '' ? '' : `?${query}`);
  };

  async function send<K extends keyof Answers & string>(name: K, input: CallInput): Promise<Answers[K]> {
    const operation = operationOf(name);
    const response = await deps
      .fetch(addressOf(name, input), requestOf(operation, input, csrfToken))
      .catch((error: unknown) => {
        if (input.signal?.aborted === true) throw error;
        throw new ApiError(0, unreachable(operation[0], input));
      });
    const answer = await readAnswer<Answers[K]>(response);
    input.onAge?.(ageOf(response));
    csrfToken = tokenIn(answer) ?? csrfToken;
    userId = userIn(answer) ?? userId;
    return answer;
  }

  /** Takes over the CSRF token of a sign-in in another tab and repeats the request, unless another user has signed in. */
  async function sendAgain<K extends keyof Answers & string>(
    name: K,
    input: CallInput,
    { status }: ApiError,
  ) {
    const former = userId;
    await send('retrieveSession', {});
    if (former === userId) return send(name, input);
    deps.signedOut();
    throw new ApiError(status, anotherPerson);
  }

  async function call<K extends keyof Answers & string>(name: K, input: CallInput = {}): Promise<Answers[K]> {
    try {
      return await send(name, input);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.code === 'csrf_failed') return sendAgain(name, input, error);
      if (error.code === 'confirmation_required') {
        if (await deps.confirm()) return send(name, input);
        throw new ApiError(error.status, notConfirmed);
      }
      if (error.code === 'not_signed_in') deps.signedOut();
      throw error;
    }
  }

  return { call, addressOf };
}

function requestOf(
  [method, , uploadField]: Operations[string],
  input: CallInput,
  csrfToken: string | undefined,
): RequestInit {
  const headers = new Headers({ accept: 'application/json' });
  if (method !== 'GET' && csrfToken !== undefined) headers.set('x-csrf-token', csrfToken);
  if (input.idempotencyKey !== undefined) headers.set('idempotency-key', input.idempotencyKey);
  const body = bodyOf(input, uploadField);
  if (typeof body === 'string') headers.set('content-type', 'application/json');
  return {
    method,
    headers,
    credentials: 'same-origin',
    ...(body === undefined ? {} : { body }),
    ...(input.signal === undefined ? {} : { signal: input.signal }),
  };
}

function queryOf(query: object = {}): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    for (const one of [value].flat()) {
      if (one !== undefined && one !== null && one !== '') search.append(key, String(one));
    }
  }
  return search.toString();
}

function bodyOf(input: CallInput, uploadField: string | undefined): string | FormData | undefined {
  if (uploadField !== undefined && input.file !== undefined) {
    const form = new FormData();
    form.append(uploadField, input.file);
    return form;
  }
  return input.body === undefined ? undefined : JSON.stringify(input.body);
}

async function readAnswer<Answer>(response: Response): Promise<Answer> {
  const answer = await response.json().catch(() => undefined);
  if (response.ok) return answer;
  const wait = Number(response.headers.get('retry-after') ?? Number.NaN);
  const { error } = (answer ?? {}) as { readonly error?: Partial<ErrorMembers> };
  const said = error?.code === askedBefore.code ? { ...error, ...askedBefore } : (error ?? {});
  throw new ApiError(response.status, said, Number.isFinite(wait) ? wait : undefined);
}

/** The age of the data, if the server read it from a standby of its database. */
function ageOf({ headers }: Response): number | undefined {
  const age = headers.get('till-data-age');
  return age === null ? undefined : Number(age);
}

function userIn(answer: unknown): string | undefined {
  const { csrf_token: token, user } = (answer ?? {}) as {
    readonly csrf_token?: unknown;
    readonly user?: { readonly id?: unknown };
  };
  return typeof token === 'string' && typeof user?.id === 'string' ? user.id : undefined;
}

function tokenIn(answer: unknown): string | undefined {
  const { csrf_token: token } = (answer ?? {}) as { readonly csrf_token?: unknown };
  return typeof token === 'string' ? token : undefined;
}
