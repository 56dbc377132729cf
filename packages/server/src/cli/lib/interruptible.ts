import { OperatorError } from '../../accounts/accounts.ts';
import { endSignals } from './end-signals.ts';

/**
 * Runs work that has to clean up if it is interrupted: the first signal aborts it. Further signals have no effect, since a
 * terminal and the parent process may both send one.
 * @param work must reject soon with the abort reason of the signal that it is given
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
