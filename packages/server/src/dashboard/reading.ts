import { DashboardError } from '@till/contract/dashboard';
import { timeoutKind } from '../store/database.ts';

/**
 * Runs a read for a page. Such reads share few connections and are limited in time.
 * @throws DashboardError `read_too_long`, `too_many_reads`
 */
export async function reading<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    switch (timeoutKind(error)) {
      case 'statement':
        throw new DashboardError(
          'read_too_long',
          'Reading this took too long and was stopped, so that payments are not slowed down. Narrow it, for example by date.',
          { cause: error },
        );
      case 'waiting':
        throw new DashboardError(
          'too_many_reads',
          'Too much is being read at this moment. Try again in a few seconds.',
          { cause: error, retryAfterSeconds: 5 },
        );
      case undefined:
        throw error;
    }
  }
}
