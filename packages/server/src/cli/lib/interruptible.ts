import { OperatorError } from '../../accounts/accounts.ts';
import { endSignals } from './end-signals.ts';

/**
 * Runs work that has something to remove where it is interrupted: a signal aborts it. Further ones change nothing, since a
 * terminal and what runs the command may both send one.
 * @param work ends soon with the reason of the signal that it is given
 */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interrupted = new AbortController();
  const stop = () =>
    interrupted.abort(
      new OperatorError('interrupted', 'Interrupted. What was copied so far was removed again.'),
    );
  for (const name of endSignals) process.on(name, stop);
  try {
    return await work(interrupted.signal);
  } finally {
    for (const name of endSignals) process.off(name, stop);
  }
}
