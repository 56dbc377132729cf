import { type Breakdown, type Fault, faultStrikes, findFault, showFault, slowAnswerMs } from '../faults.ts';
import type { WireResponse } from '../wire.ts';
import { type Call, serverError, type Tools } from './call.ts';
import type { RequestKey } from './store.ts';

/** What an operation answered, and whether this very request did the work. */
export interface Executed {
  readonly response: WireResponse;
  readonly fresh: boolean;
}

/** The fault that strikes this request: only the first one of an order that could charge it meets one. */
async function strikingFault(
  { parts }: Tools,
  call: Call,
  directive: string | null,
  occasion: string,
): Promise<Fault | undefined> {
  const fault = directive === null ? undefined : findFault(directive);
  if (fault === undefined) return undefined;
  const strikes = await faultStrikes(parts.database, call.merchantAccount, occasion, call.now);
  return strikes ? fault : undefined;
}

/** Works only after a while, with the request id held, so that a second request under it does not start as well. */
async function slowly(tools: Tools, key: RequestKey, work: () => Promise<Executed>): Promise<Executed> {
  const held = key.requestId !== null && (await tools.store.claim(key));
  // Without the signal: a processor carries on when the client has hung up.
  if (held || key.requestId === null) await tools.parts.delay(slowAnswerMs);
  try {
    return await work();
  } catch (error) {
    if (held) await tools.store.release(key);
    throw error;
  }
}

/**
 * Does what a request asks for, unless its directive makes the way to the processor fail.
 * @param occasion names the moment at which the fault of an order strikes
 */
export async function execute(
  tools: Tools,
  call: Call,
  key: RequestKey,
  { directive, occasion }: { readonly directive: string | null; readonly occasion: string },
  work: () => Promise<Executed>,
): Promise<WireResponse> {
  const fault = await strikingFault(tools, call, directive, occasion);
  if (fault === undefined) return (await work()).response;
  if (fault.strikes === 'slow') return (await slowly(tools, key, work)).response;
  const show = (breakdown: Breakdown) =>
    showFault(breakdown, tools.parts, call.signal, serverError(tools.parts));
  if (fault.strikes === 'lost') return show(fault);
  const { response, fresh } = await work();
  return fresh ? show(fault) : response;
}
