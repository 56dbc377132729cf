import { type Fault, findFault, isFaultDue, showFault, slowAnswerMs } from '../../directives/faults.ts';
import type { WireResponse } from '../../lib/wire.ts';
import type { RequestKey } from '../store/store.ts';
import { type Call, serverError, type Tools } from './call.ts';

/** The response of an operation, and whether this very request did the work. */
export interface Executed {
  readonly response: WireResponse;
  readonly fresh: boolean;
}

/** Returns the fault that a directive stands for, or undefined if the directive means something else. */
export function faultOf(directive: string | null): Fault | undefined {
  return directive === null ? undefined : findFault(directive);
}

/** A fault of the connection and the occasion at which it is injected, once per occasion. */
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

/**
 * Does the work after a delay. Claims the request id meanwhile, so that a second request with it does not
 * start as well.
 */
async function slowly(tools: Tools, key: RequestKey, work: () => Promise<Executed>): Promise<Executed> {
  const held = key.requestId !== null && (await tools.store.claim(key));
  // Ignores the abort signal: a real processor continues after the client has closed the connection.
  if (held || key.requestId === null) await tools.deps.delay(slowAnswerMs);
  try {
    return await work();
  } catch (error) {
    if (held) await tools.store.release(key);
    throw error;
  }
}

/** Executes a request, unless a fault makes the connection to the processor fail. */
export async function execute(
  tools: Tools,
  call: Call,
  key: RequestKey,
  faultOccasion: FaultOccasion,
  work: () => Promise<Executed>,
): Promise<WireResponse> {
  const fault = await dueFault(tools, call, faultOccasion);
  if (fault === undefined) return (await work()).response;
  if (fault.strikes === 'slow') return (await slowly(tools, key, work)).response;
  const show = () => showFault(fault, tools.deps, call.signal, serverError(tools.deps));
  if (fault.strikes === 'lost') return show();
  const { response, fresh } = await work();
  return fresh ? show() : response;
}
