import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type ErrorCode, errorCatalogue } from '@till/contract';

const reasons: Partial<Record<ErrorCode, string>> = {
  headers_too_large: 'Request Header Fields Too Large',
  request_timeout: 'Request Timeout',
  bad_request: 'Bad Request',
};

function codeOf(error: Error & { code?: string }): ErrorCode {
  if (error.code === 'HPE_HEADER_OVERFLOW') return 'headers_too_large';
  return error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'request_timeout' : 'bad_request';
}

const messages: Partial<Record<ErrorCode, string>> = {
  headers_too_large: 'The address and the headers of the request must be of at most 16 KiB together.',
  request_timeout: 'The request did not arrive in time.',
  bad_request: 'This is not a valid HTTP request.',
};

/** The unfinished responses of each connection. */
const answers = new WeakMap<Socket, ServerResponse[]>();

/** The responses after which their connection is closed. */
const lastAnswers = new WeakSet<ServerResponse>();

/** Call it with the response of each request when the request begins. */
export function noteAnswer(socket: Socket, answer: ServerResponse): void {
  const before = answers.get(socket)?.filter(({ writableFinished }) => !writableFinished) ?? [];
  answers.set(socket, [...before, answer]);
}

/** Closes a connection after the last response whose request arrived completely. @returns false if there is none */
function closeAfterLastAnswer(socket: Socket): boolean {
  const last = answers
    .get(socket)
    ?.findLast(({ writableFinished, req }) => !writableFinished && req.complete);
  if (last === undefined) return false;
  // Node.js keeps reading after the first error, and reports an error for each further chunk.
  if (lastAnswers.has(last)) return true;
  lastAnswers.add(last);
  last.shouldKeepAlive = false;
  last.once('close', () => socket.destroySoon());
  return true;
}

/**
 * Answers input that never became a request: malformed HTTP, too large headers, a request that takes too long to arrive. While
 * an earlier request of the connection is in progress it writes nothing, because the client would take that for the response.
 * @param headers the headers of every response
 */
export function answerBrokenHttp(
  error: Error & { code?: string },
  socket: Socket,
  requestId: string,
  {
    headers,
    docUrl,
  }: {
    headers: Readonly<Record<string, string | number>>;
    docUrl: (code: ErrorCode) => string;
  },
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  if (closeAfterLastAnswer(socket)) return;
  const code = codeOf(error);
  const [status, type] = errorCatalogue[code];
  const body = JSON.stringify({
    error: { type, code, message: messages[code], doc_url: docUrl(code), request_id: requestId },
  });
  socket.end(
    [
      `HTTP/1.1 ${status} ${reasons[code]}`,
      'Connection: close',
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      `Content-Length: ${Buffer.byteLength(body)}`,
      `Link: <${docUrl(code)}>; rel="help"`,
      '',
      body,
    ].join('\r\n'),
  );
}
