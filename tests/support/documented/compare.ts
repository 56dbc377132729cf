import { inject } from 'vitest';
import { type ApiDocument, DocumentedApi, type HttpExchange } from './api-document.ts';
import { ownServers } from './own-servers.ts';

/*
 * Compares all exchanges of the acceptance tests below /api/v1 with the server's own /openapi.json. Faults
 * are collected until the test has ended (`watch.ts`): an error thrown at once might be taken for a rejection
 * that the test expects.
 */
const plainFetch = globalThis.fetch;
const apis = new Map<string, Promise<DocumentedApi | undefined>>();
const found = new Set<string>();

let isComparing = false;

/** @param file the test file that runs from now on */
export function compareIn(file: string): void {
  isComparing = file.includes('/tests/acceptance/');
}

/** Returns the faults found since the last call. */
export function takeFaults(): string[] {
  const faults = [...found];
  found.clear();
  return faults;
}

/**
 * Documents by their text without the server's address. Servers with the same settings have the same
 * document, and compiling it takes a second.
 */
const byText = new Map<string, DocumentedApi>();

async function load(origin: string): Promise<DocumentedApi | undefined> {
  const answer = await plainFetch(`${origin}/openapi.json`);
  if (!answer.ok) return undefined;
  const text = (await answer.text()).replaceAll(origin, '');
  const api = byText.get(text) ?? new DocumentedApi(JSON.parse(text) as ApiDocument);
  byText.set(text, api);
  return api;
}

/** Returns a server's document, or undefined while a test's own server does not respond. */
async function documentAt(origin: string): Promise<DocumentedApi | undefined> {
  const known = apis.get(origin) ?? load(origin);
  apis.set(origin, known);
  const isShared = origin === new URL(inject('target').baseUrl).origin;
  const api = await known.catch((error: unknown) => {
    if (isShared) throw error;
    return undefined;
  });
  if (api === undefined) apis.delete(origin);
  return api;
}

const isWatched = ({ origin, pathname }: URL) =>
  isComparing &&
  pathname.startsWith('/api/v1/') &&
  (ownServers.has(origin) || origin === new URL(inject('target').baseUrl).origin);

/** Compares one exchange with the document of the server at its address. */
export async function compareExchange(baseUrl: string, exchange: HttpExchange): Promise<void> {
  const url = new URL(exchange.url, baseUrl);
  if (!isWatched(url) || exchange.status === 0) return;
  const api = await documentAt(url.origin);
  for (const fault of api?.faults(exchange) ?? []) found.add(fault);
}

/** A `fetch` that compares each exchange. It does not read streams and only compares their content type. */
export const comparedFetch: typeof fetch = async (input, init) => {
  const answer = await plainFetch(input, init);
  const url = new URL(input instanceof Request ? input.url : input);
  if (!isWatched(url)) return answer;
  const contentType = answer.headers.get('content-type') ?? '';
  const isStream = contentType.startsWith('text/event-stream');
  const body = init?.body;
  const requestHeaders = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
  if (body instanceof FormData) requestHeaders.set('content-type', 'multipart/form-data');
  await compareExchange(url.origin, {
    method: init?.method ?? (input instanceof Request ? input.method : 'GET'),
    url: `${url.pathname}${url.search}`,
    requestHeaders,
    requestBody: typeof body === 'string' ? body : undefined,
    status: answer.status,
    contentType,
    answer: isStream ? undefined : await answer.clone().text(),
  });
  return answer;
};
