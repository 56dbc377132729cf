import http from 'node:http';
import { text } from 'node:stream/consumers';

const timeoutMs = 30_000;

export interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface SentReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever fields they name
  readonly body: any; // oxlint-disable-line typescript/no-explicit-any
}

function begin(baseUrl: string, { method, path, headers }: SentRequest) {
  const sent = http.request(`${baseUrl}${path}`, { method, headers, agent: false, timeout: timeoutMs });
  sent.on('timeout', () => sent.destroy(new Error('no answer')));
  const answered = new Promise<SentReply>((resolve, reject) => {
    sent.on('error', reject);
    sent.on('response', (answer) => {
      void text(answer).then((content) => resolve(toReply(answer, content)), reject);
    });
  });
  // A caller that awaits the answer sees a failure. Until then this handler avoids an unhandled rejection.
  answered.catch(() => {});
  return { sent, answered };
}

function toReply(answer: http.IncomingMessage, content: string): SentReply {
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers)) headers.set(name, String(value));
  const isJson = headers.get('content-type')?.includes('json') === true;
  return {
    status: answer.statusCode ?? 0,
    headers,
    text: content,
    body: isJson && content !== '' ? JSON.parse(content) : undefined,
  };
}

/** Sends headers and body in one piece. */
export function sendWhole(baseUrl: string, request: SentRequest, body: string): Promise<SentReply> {
  const { sent, answered } = begin(baseUrl, request);
  sent.end(body);
  return answered;
}

/** A request for whose body the server still waits. */
export interface HeldRequest {
  /** Sends the body and reads the answer. */
  finish(body: string | Uint8Array): Promise<SentReply>;
}

/**
 * Sends a request's headers and holds its body back. Resolves once the server has begun to handle the request, which it signals
 * with `100 Continue`.
 * @param length the length of the body in bytes
 */
export async function holdBody(baseUrl: string, request: SentRequest, length: number): Promise<HeldRequest> {
  const headers = { ...request.headers, 'content-length': String(length), expect: '100-continue' };
  const { sent, answered } = begin(baseUrl, { ...request, headers });
  await new Promise<void>((resolve, reject) => {
    sent.once('continue', resolve);
    sent.once('error', reject);
    sent.flushHeaders();
  });
  return {
    finish(body) {
      sent.end(body);
      return answered;
    },
  };
}
