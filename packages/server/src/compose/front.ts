import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { ApiError } from '@till/contract';
import { type Directory, elsewhere } from '../cells/directory.ts';
import { home } from '../cells/store.ts';
import type { AppDependencies } from '../http/server/app.ts';
import { refuse } from '../http/server/shed-load.ts';
import { Bulkhead } from '../lib/waiting/bulkhead.ts';
import { isUnavailable } from '../store/database.ts';
import { accountOf } from './account-of-request.ts';

/** The listener for the requests of an HTTP server. */
export function listenerOf(server: Server): RequestListener {
  const [listener] = server.listeners('request') as RequestListener[];
  if (listener === undefined) throw new Error('the server has no listener yet');
  return listener;
}

export interface FrontDependencies extends Pick<AppDependencies, 'newRequestId' | 'baseUrl' | 'rateLimiter'> {
  readonly directory: Directory;
  /** The listener for the requests of a cell other than home; undefined while the cell cannot be served. */
  readonly listenerIn: (cell: string) => RequestListener | undefined;
  /** The cell that has the object of a simulator's page; home if none has it. */
  readonly cellOfPage: (url: string) => Promise<string>;
  readonly onIncident: (error: unknown) => void;
  readonly elapsed: () => number;
}

/** The paths of the simulators' pages, which do not name an account. */
const page = /^\/sandbox\/processor-/;

/**
 * Passes each request to the cell of its account. Home serves everything else, such as signing in. With a single cell, requests
 * go straight to home's listener, and their headers and paths are not examined.
 */
export function divideRequests(server: Server, deps: FrontDependencies): void {
  const { directory } = deps;
  const atHome = listenerOf(server);
  const handOn = (cell: string, request: IncomingMessage, response: ServerResponse) => {
    if (cell === home) return atHome(request, response);
    const listener = deps.listenerIn(cell);
    if (listener !== undefined) return listener(request, response);
    refuse(deps, cellAway(), { url: request.url ?? '', response }, {});
  };
  const handOnLater = async (found: Promise<string>, request: IncomingMessage, response: ServerResponse) => {
    try {
      handOn(await found, request, response);
    } catch (error) {
      if (!(error instanceof ApiError) && !isUnavailable(error)) deps.onIncident(error);
      const refusal = error instanceof ApiError ? error : cellAway();
      refuse(deps, refusal, { url: request.url ?? '', response }, {});
    }
  };
  const waiting = new Waiting(deps);
  server.removeListener('request', atHome);
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!directory.isDivided) return atHome(request, response);
    const cell = cellOf(deps, waiting, request);
    if (typeof cell === 'string') handOn(cell, request, response);
    else void handOnLater(cell, request, response);
  });
}

function cellOf(
  deps: FrontDependencies,
  waiting: Waiting,
  request: IncomingMessage,
): string | Promise<string> {
  const account = accountOf(deps.directory, request);
  if (account === null) return page.test(request.url ?? '') ? deps.cellOfPage(request.url ?? '') : home;
  if (typeof account === 'string') return waiting.cellOf(account);
  return waiting.cellOfLater(account);
}

/** How long a request waits while its account is handed over. After that it gets a 503. */
const maxWaitMs = 5_000;
/** How many requests may wait. One account alone may use all places; another still gets its share when they are taken. */
const waitLimits = { each: 2_000, all: 2_000 };

/** Holds the requests of accounts that are being handed over from one cell to another. */
class Waiting {
  readonly #deps: FrontDependencies;
  readonly #places = new Bulkhead(waitLimits);

  constructor(deps: FrontDependencies) {
    this.#deps = deps;
  }

  /** The cell of an account; a promise if the account is being handed over. */
  cellOf(accountId: string): string | Promise<string> {
    const { directory } = this.#deps;
    return directory.isHeld(accountId) ? this.#wait(accountId) : directory.cellOfAccount(accountId);
  }

  async cellOfLater(account: Promise<string | null>): Promise<string> {
    const found = await account;
    return found === null ? home : this.cellOf(found);
  }

  /** @throws ApiError `service_unavailable` */
  async #wait(accountId: string): Promise<string> {
    const { directory, elapsed } = this.#deps;
    const leave = this.#places.enter(accountId);
    if (leave === null) throw elsewhere();
    const until = elapsed() + maxWaitMs;
    try {
      while (directory.isHeld(accountId)) {
        if (elapsed() >= until) throw elsewhere();
        await directory.whenRefreshed();
      }
    } finally {
      leave();
    }
    return directory.cellOfAccount(accountId);
  }
}

const cellAway = () =>
  new ApiError(
    'service_unavailable',
    'The service is not able to answer for this account right now. Retry with the same Idempotency-Key.',
    { retryAfterSeconds: 2 },
  );
