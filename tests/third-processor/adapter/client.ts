import type { NoAnswer, ProcessorConnection } from '../../../packages/server/src/processors/port/port.ts';
import { errorAnswer, transportFault } from '../../../packages/server/src/processors/upstream/no-answer.ts';
import type { ObservedAnswer } from '../../../packages/server/src/processors/upstream/observation.ts';
import {
  type JsonObject,
  jsonObject,
  jsonText,
  parsedJson,
} from '../../../packages/server/src/processors/wire/json.ts';
import type { Transport } from '../../../packages/server/src/processors/wire/transport.ts';

/** A response of the upstream with any status. */
export interface UpstreamAnswer {
  readonly status: number;
  readonly body: JsonObject;
  /** The upstream's own error code. Null if it names none. */
  readonly error: string | null;
}

/** The connection of one operation to the upstream. */
export interface Session {
  /** @param key absent for requests that change nothing, and if a retry has to be executed again */
  send(path: string, body: object, key?: string): Promise<UpstreamAnswer | NoAnswer>;
  read(path: string): Promise<UpstreamAnswer | NoAnswer>;
}

export function openSession(
  transport: Transport,
  { baseUrl, credentials }: ProcessorConnection,
  note: (answer: ObservedAnswer) => void,
): Session {
  const exchange = async (
    method: 'GET' | 'POST',
    path: string,
    content: Buffer,
    key?: string,
  ): Promise<UpstreamAnswer | NoAnswer> => {
    try {
      const { status, body } = await transport({
        method,
        url: `${baseUrl}${path}`,
        headers: {
          authorization: `Bearer ${credentials.secretKey}`,
          'content-type': 'application/json',
          ...(key === undefined ? {} : { 'idempotency-key': key }),
        },
        body: content,
      });
      const parsed = jsonObject(parsedJson(body));
      note({ status, upstreamReference: jsonText(parsed, 'id') });
      return { status, body: parsed, error: jsonText(parsed, 'error') };
    } catch (error) {
      return transportFault(error);
    }
  };
  return {
    send: (path, body, key) => exchange('POST', path, Buffer.from(JSON.stringify(body)), key),
    read: (path) => exchange('GET', path, Buffer.alloc(0)),
  };
}

/** Classifies a response that contains no outcome. */
export const faultOf = ({ status, error }: UpstreamAnswer): NoAnswer =>
  errorAnswer({ status, code: error }, error !== null, `status ${status}`);
