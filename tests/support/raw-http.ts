import http from 'node:http';
import net from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { compareExchange } from './documented/compare.ts';
import { targetAddress } from './expect-error.ts';
import { type Reply, target } from './merchant.ts';

const timeoutMs = 30_000;

function toReply(status: number, headers: Headers, text: string): Reply {
  const isJson = headers.get('content-type')?.includes('json') === true;
  return { status, headers, text, body: isJson && text !== '' ? JSON.parse(text) : undefined };
}

/**
 * Sends raw bytes and reads one response. The client's side stays open, like that of a client that may send
 * more. Status 0 means that the server closed the connection without a response.
 */
export async function sendBytes(bytes: string | Uint8Array): Promise<Reply> {
  let received = Buffer.alloc(0);
  await new Promise<void>((resolve, reject) => {
    const socket = net.connect(targetAddress());
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error('no answer')));
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (isComplete(received)) socket.destroy();
    });
    // A server that rejects a request early may reset the connection while the client is still sending.
    socket.on('error', (error) => (/RESET|EPIPE/.test(error.message) ? resolve() : reject(error)));
    socket.on('close', () => resolve());
    socket.write(bytes);
  });
  return compared(target().baseUrl, readRequest(bytes), readAnswer(received.toString('utf8')));
}

/** Parses the bytes as a request. If they are not one, the result has an undocumented path. */
function readRequest(bytes: string | Uint8Array): Sent {
  const [head = '', ...rest] = Buffer.from(bytes).toString('utf8').split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const [, method = 'GET', path = '/'] = /^([A-Z]+) (\/\S*) HTTP\/1\.1$/.exec(first) ?? [];
  const headers = lines.flatMap((line): [string, string][] => {
    const [, name, value] = /^([\w-]+): *(.*)$/.exec(line) ?? [];
    return name === undefined || value === undefined ? [] : [[name, value]];
  });
  return { method, path, headers: Object.fromEntries(headers), body: rest.join('\r\n\r\n') };
}

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Uint8Array | undefined;
}

/** Returns the reply after comparing the exchange with the API document. */
async function compared(baseUrl: string, sent: Sent, reply: Reply): Promise<Reply> {
  const headers = new Headers();
  for (const [name, value] of Object.entries(sent.headers))
    for (const one of [value].flat()) headers.append(name, one.replaceAll('\0', ''));
  await compareExchange(baseUrl, {
    method: sent.method,
    url: sent.path,
    requestHeaders: headers,
    requestBody: sent.body === undefined ? undefined : Buffer.from(sent.body).toString('utf8'),
    status: reply.status,
    contentType: reply.headers.get('content-type') ?? '',
    answer: reply.text,
  });
  return reply;
}

function isComplete(received: Buffer): boolean {
  const split = received.indexOf('\r\n\r\n');
  const length = /^content-length: *(\d+)/im.exec(received.subarray(0, split).toString())?.[1];
  return split !== -1 && length !== undefined && received.length >= split + 4 + Number(length);
}

function readAnswer(text: string): Reply {
  if (text === '') return toReply(0, new Headers(), '');
  const split = text.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = text.slice(0, split).split('\r\n');
  const headers = new Headers();
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  return toReply(Number(statusLine.split(' ')[1]), headers, text.slice(split + 4));
}

async function readReply(answer: http.IncomingMessage): Promise<Reply> {
  const content = await readText(answer);
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers)) headers.set(name, String(value));
  return toReply(answer.statusCode ?? 0, headers, content);
}

/** A request whose body the server waits for. */
export interface HeldRequest {
  /** Sends the body and reads the response. */
  finish(body: string | Uint8Array): Promise<Reply>;
}

/**
 * Sends a request's headers but not its body. Resolves once the server has begun to handle the request, as
 * its `100 Continue` shows.
 * @param length length of the body in bytes
 */
export async function holdBody(
  baseUrl: string,
  request: { method: string; path: string; headers: Readonly<Record<string, string>> },
  length: number,
): Promise<HeldRequest> {
  const sent = http.request(`${baseUrl}${request.path}`, {
    method: request.method,
    agent: false,
    timeout: timeoutMs,
    headers: { ...request.headers, 'content-length': String(length), expect: '100-continue' },
  });
  sent.on('timeout', () => sent.destroy(new Error('no answer')));
  const answered = new Promise<Reply>((resolve, reject) => {
    sent.on('error', reject);
    sent.on('response', (answer) => void readReply(answer).then(resolve, reject));
  });
  // The caller of `finish` receives the error. Before that, nothing awaits this promise.
  answered.catch(() => {});
  await new Promise<void>((resolve, reject) => {
    sent.once('continue', resolve);
    sent.once('error', reject);
    sent.flushHeaders();
  });
  return {
    async finish(body) {
      sent.end(body);
      return compared(baseUrl, { ...request, body }, await answered);
    },
  };
}

/**
 * Sends a request without the corrections that `fetch` makes: the exact path, duplicate headers, a body with
 * any method.
 */
export async function sendPlain(request: {
  method: string;
  path: string;
  headers: Readonly<Record<string, string | string[]>>;
  body?: Uint8Array | undefined;
}): Promise<Reply> {
  const { host, port } = targetAddress();
  const reply = await new Promise<Reply>((resolve, reject) => {
    const sent = http.request(
      {
        host,
        port,
        method: request.method,
        path: request.path,
        agent: false,
        timeout: timeoutMs,
        headers: {
          ...request.headers,
          ...(request.body === undefined ? {} : { 'content-length': String(request.body.length) }),
        },
      },
      (answer) => void readReply(answer).then(resolve, reject),
    );
    sent.on('timeout', () => sent.destroy(new Error('no answer')));
    // Has no effect after the response, which counts even if the rest of the body could not be sent.
    sent.on('error', reject);
    sent.end(request.body);
  });
  return compared(target().baseUrl, request, reply);
}
