import { request as send } from 'undici';
import type { TelemetryTarget } from '../lib/tracing/settings.ts';
import { errorType } from '../lib/tracing/span.ts';
import { userAgent } from '../lib/version.ts';

/** Sends a collector an empty message. @returns the reason why the collector does not accept it; null if it does */
export async function askCollector(target: TelemetryTarget, withinMs: number): Promise<string | null> {
  const isJson = target.protocol === 'http/json';
  try {
    const answer = await send(target.url, {
      method: 'POST',
      headers: {
        'user-agent': userAgent,
        'content-type': isJson ? 'application/json' : 'application/x-protobuf',
        ...target.headers,
      },
      body: isJson ? '{}' : '',
      signal: AbortSignal.timeout(withinMs),
    });
    await answer.body.dump();
    return answer.statusCode < 300 ? null : `the collector answers ${answer.statusCode}`;
  } catch (error) {
    return `the collector does not answer (${errorType(error)})`;
  }
}
