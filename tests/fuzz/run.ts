import http from 'node:http';
import { Random } from '../crash/random.ts';
import type { RunningServer } from '../support/server.ts';
import { type Answer, faultOf } from './judge.ts';
import { mutate, type RawRequest } from './mutate.ts';
import { goodRequest, type OperationName, operationNames } from './requests.ts';
import { createWorld } from './world.ts';

export interface FuzzOptions {
  readonly seed: number;
  /** Number of requests per operation. */
  readonly cases: number;
  readonly operations?: readonly OperationName[];
  /** Runs only the case with this number, to reproduce it. */
  readonly only?: number;
  /** Slower responses count as faults. If absent, response times are ignored. */
  readonly maxMs?: number;
  readonly onOperation?: (
    name: OperationName,
    statuses: ReadonlyMap<number, number>,
    slowestMs: number,
  ) => void;
}

/** A request with a wrong response. Seed, operation and number reproduce it. */
export interface Fault {
  readonly operation: OperationName;
  readonly number: number;
  readonly fault: string;
  readonly request: string;
  readonly answer: string;
}

const atOnce = 8;
const timeoutMs = 60_000;
const maxRepeats = 5;

function send(agent: http.Agent, baseUrl: string, request: RawRequest): Promise<Answer> {
  const { hostname, port } = new URL(baseUrl);
  const { method, path, body } = request;
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const sent = http.request(
      {
        agent,
        hostname,
        port,
        method,
        path,
        timeout: timeoutMs,
        headers: { ...request.headers, ...(body === null ? {} : { 'content-length': String(body.length) }) },
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            text: Buffer.concat(chunks).toString('utf8'),
            ms: performance.now() - began,
          }),
        );
      },
    );
    sent.on('timeout', () => sent.destroy(new Error('no answer')));
    sent.on('error', reject);
    sent.end(body ?? undefined);
  });
}

const cut = (text: string) => (text.length > 1500 ? `${text.slice(0, 1500)}… (${text.length})` : text);
const written = ({ method, path, headers, body }: RawRequest) =>
  cut(`${method} ${path}\n${JSON.stringify(headers)}\n${body?.toString('latin1') ?? ''}`);

/**
 * Sends a request and retries it once if the connection breaks, since the server may close a kept-alive
 * connection just as it is used. Also retries a few times if the server reports that it is overloaded.
 */
async function sendWithRetries(agent: http.Agent, baseUrl: string, request: RawRequest): Promise<Answer> {
  const once = () => send(agent, baseUrl, request).catch(() => send(agent, baseUrl, request));
  let answer = await once();
  for (let tries = 0; tries < maxRepeats && answer.text.includes('"service_unavailable"'); tries += 1) {
    const seconds = Number(answer.headers['retry-after']);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    answer = await once();
  }
  return answer;
}

/**
 * Sends faulty requests to every operation.
 * @returns the requests with wrong responses
 */
export async function fuzz(server: RunningServer, options: FuzzOptions): Promise<Fault[]> {
  const world = await createWorld(server);
  const agent = new http.Agent({ keepAlive: true, maxSockets: atOnce });
  const faults: Fault[] = [];

  async function runCase(name: OperationName, number: number): Promise<Answer> {
    const random = new Random(options.seed * 31 + operationNames.indexOf(name) * 1_000_003 + number);
    const good = goodRequest(name, world, random);
    const request = mutate(good.request, good.body, random);
    const answer = await sendWithRetries(agent, server.baseUrl, request);
    const isSame = request.path.split('?')[0] === good.request.path.split('?')[0];
    const tooSlow = options.maxMs !== undefined && answer.ms > options.maxMs;
    const fault =
      faultOf(answer, isSame ? good.operation : undefined) ??
      (tooSlow ? `an answer after ${Math.round(answer.ms)} ms` : undefined);
    if (fault !== undefined) {
      const text = cut(`${answer.status} ${JSON.stringify(answer.headers)}\n${answer.text}`);
      faults.push({ operation: name, number, fault, request: written(request), answer: text });
    }
    return answer;
  }

  for (const name of options.operations ?? operationNames) {
    const statuses = new Map<number, number>();
    let slowest = 0;
    const left =
      options.only === undefined ? Array.from({ length: options.cases }, (_, n) => n) : [options.only];
    const worker = async () => {
      for (let number = left.shift(); number !== undefined; number = left.shift()) {
        const { status, ms } = await runCase(name, number);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        slowest = Math.max(slowest, ms);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    options.onOperation?.(name, statuses, slowest);
  }
  agent.destroy();
  return faults;
}

/** The settings of a server under this test. */
export const fuzzSettings = {
  TILL_RATE_LIMIT_RPS: '0',
  TILL_DISPUTES_API: 'on',
  // No case asks the simulators for a timeout, and a machine that pauses for a while must not cause a 503.
  TILL_PROCESSOR_TIMEOUT_MS: '30000',
};
