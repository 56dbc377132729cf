import { type Fault, findFault, isFaultDue, showFault, slowAnswerMs } from '../../directives/faults.ts';
import type { WireResponse } from '../../lib/wire.ts';
import type { RequestKey } from '../store/store.ts';
import { type Call, serverError, type Tools } from './call.ts';

/** What an operation answered, and whether this very request did the work. */
export interface Executed {
  readonly response: WireResponse;
  readonly fresh: boolean;
}

/** The fault that a directive stands for, if it is one. */
export function faultOf(directive: string | null): Fault | undefined {
  return directive === null ? undefined : findFault(directive);
}

/** What the way to the processor may meet, and the moment of it: a fault strikes only once at each. */
export interface FaultOccasion {
  readonly fault: Fault | undefined;
  readonly occasion: string;
}

async function dueFault(
  { deps }: Tools,
  call: Call,
  { fault, occasion }: FaultOccasion,
): Promise<Fault | undefined> {
  if (fault === undefined) return undefined;
  const strikes = await isFaultDue(deps.database, call.merchantAccount, occasion, call.now);
  return strikes ? fault : undefined;
}

/** Works only after a while, with the request id held, so that a second request under it does not start as well. */
async function slowly(tools: Tools, key: RequestKey, work: () => Promise<Executed>): Promise<Executed> {
  const held = key.requestId !== null && (await tools.store.claim(key));
  // Without the signal: a processor continues when the client has hung up.
  if (held || key.requestId === null) await tools.deps.delay(slowAnswerMs);
  try {
    return await work();
  } catch (error) {
    if (held) await tools.store.release(key);
    throw error;
  }
}

/** Does what a request asks for, unless a fault makes the way to the processor fail. */
export async function execute(
  tools: Tools,
  call: Call,
  key: RequestKey,
  peril: FaultOccasion,
  work: () => Promise<Executed>,
): Promise<WireResponse> {
  const fault = await dueFault(tools, call, peril);
  if (fault === undefined) return (await work()).response;
  if (fault.strikes === 'slow') return (await slowly(tools, key, work)).response;
  const show = () => showFault(fault, tools.deps, call.signal, serverError(tools.deps));
  if (fault.strikes === 'lost') return show();
  const { response, fresh } = await work();
  return fresh ? show() : response;
}
