import type { Task } from './buyer/buyer-tasks.ts';
import type { BuyerOutcome } from './buyer/virtual-buyer.ts';
import type { SandboxDependencies } from './lib/dependencies.ts';
import { splitUrl, type WireRequest, type WireResponse } from './lib/wire.ts';
import { html, page, seeOther, stylePath } from './pages/html.ts';
import { style } from './pages/style.ts';
import { leavePage, missingPage, overPage, taskPage } from './pages/views.ts';
import { simulators } from './simulators.ts';

export interface SandboxPages {
  /** Handles one request of a browser under `/sandbox/`. */
  handle(request: WireRequest): Promise<WireResponse>;
  /** Whether this address is the page of a task that waits here for a buyer. */
  has(url: string): Promise<boolean>;
}

type PageDependencies = Pick<SandboxDependencies, 'database' | 'now' | 'randomBytes'>;

interface Place {
  /** The page's own path, without `/return`. */
  readonly path: string;
  /** Whether the buyer has just answered. */
  readonly returning: boolean;
  find(deps: PageDependencies): Promise<Task | null>;
}

const places = /^(\/sandbox\/processor-([a-z])\/(approve|challenge)\/([A-Z0-9]+))(\/return)?$/;

function findPlace(path: string): Place | null {
  const [, own, letter, word, id, returning] = places.exec(path) ?? [];
  if (own === undefined || id === undefined) return null;
  const simulator = simulators[`processor_${letter}`];
  const kind = word === 'approve' ? 'approval' : 'challenge';
  return {
    path: own,
    returning: returning !== undefined,
    find: async (deps) => (await simulator?.findTask?.(deps, kind, id)) ?? null,
  };
}

const testPassword = 'password';

/** Maps the pressed button to an outcome. Returns undefined for a form that none of these pages sends. */
function readOutcome(task: Task, body: Buffer): BuyerOutcome | undefined {
  const form = new URLSearchParams(body.toString('utf8'));
  const action = form.get('action');
  if (action === 'cancel') return 'abandoned';
  if (task.kind === 'approval') {
    return action === 'approve' ? 'approved' : action === 'decline' ? 'declined' : undefined;
  }
  if (action === 'password') return form.get('password') === testPassword ? 'approved' : 'failed';
  return action === 'pass' ? 'approved' : action === 'fail' ? 'failed' : undefined;
}

function styleSheet(): WireResponse {
  return {
    status: 200,
    headers: {
      'content-type': 'text/css; charset=utf-8',
      'cache-control': 'max-age=300',
      'x-content-type-options': 'nosniff',
    },
    body: Buffer.from(style),
  };
}

function wrongMethod(): WireResponse {
  return page(405, 'Not possible', html`<h1>That is not possible here</h1>`, { allow: 'GET, HEAD, POST' });
}

function show(task: Task, place: Place): WireResponse {
  if (task.state === 'over') return overPage();
  if (task.state === 'answered' || (place.returning && task.answered)) return leavePage(task.returnUrl);
  return taskPage(task, place.path, place.returning);
}

async function answer(task: Task, place: Place, body: Buffer): Promise<WireResponse> {
  const outcome = readOutcome(task, body);
  if (outcome === undefined) return page(400, 'Not possible', html`<h1>That is not possible here</h1>`);
  if (task.state === 'open') await task.answer(outcome);
  return seeOther(`${place.path}/return`);
}

/**
 * The pages of the simulated wallet and of the simulated banks. They are plain forms without scripts and have
 * the same effects as `resolveApproval`.
 */
export function createSandboxPages(deps: PageDependencies): SandboxPages {
  const respond = async (request: WireRequest, method: string): Promise<WireResponse> => {
    const { path } = splitUrl(request.url);
    if (method !== 'GET' && method !== 'POST') return wrongMethod();
    if (path === stylePath) return styleSheet();
    const place = findPlace(path);
    const task = (await place?.find(deps)) ?? null;
    if (place === null || task === null) return missingPage();
    return method === 'POST' ? answer(task, place, request.body) : show(task, place);
  };
  return {
    has: async (url) => ((await findPlace(splitUrl(url).path)?.find(deps)) ?? null) !== null,
    async handle(request) {
      const method = request.method.toUpperCase();
      const response = await respond(request, method === 'HEAD' ? 'GET' : method);
      return method === 'HEAD' ? { ...response, body: Buffer.alloc(0) } : response;
    },
  };
}
