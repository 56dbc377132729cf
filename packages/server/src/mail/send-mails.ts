import { FairSweep, type Sweep } from '../jobs/fair-sweep.ts';
import type { Clock } from '../lib/clock.ts';
import type { Database } from '../store/database.ts';
import { Fences } from '../store/reach/fences.ts';
import { isMailbox } from './address.ts';
import { accountsWithDueMails, type DueMail, finishMail, takeDueMails } from './store.ts';
import type { SendMail } from './transport.ts';

const secondsMs = 1000;
/** Delays before the retries of a mail that the server did not accept. After the last retry the mail has failed. */
const retrySeconds = [60, 300, 1800, 7200, 18_000];
const sendMs = 60 * secondsMs;
/** The lease of a mail, longer than an attempt may take. When it ends, another process takes the mail over. */
const leaseMs = 5 * sendMs;
const maxAtOnce = 4;
/** The maximum for one account, so that a flood of its mails leaves room for others. */
const maxPerAccount = 2;
const maxErrorLength = 500;

export interface SendMailDependencies {
  readonly db: Database;
  readonly clock: Clock;
  readonly send: SendMail;
  readonly onIncident: (message: string, mail: Pick<DueMail, 'account_id'>, error: unknown) => void;
}

/** The sweep that sends due mails: a few at a time, accounts round robin, and without an open transaction. */
export function outgoingMails(deps: SendMailDependencies): Sweep {
  const { db, clock } = deps;
  const due = accountsWithDueMails(db);
  const fences = new Fences(clock);
  // If a move fences the account, the outcome of a mail waits until it can be stored: otherwise a sent mail would be sent again.
  const finish: Finish = (mail, end) => fences.past(() => finishMail(db, mail, end));
  return new FairSweep<DueMail>({
    places: maxAtOnce,
    perTenant: maxPerAccount,
    dueTenants: (after, max) => due({ now: clock.now(), after, max, processor: null }),
    async take({ accountId }, max) {
      const now = clock.now();
      const until = new Date(now.getTime() + leaseMs);
      const rows = await takeDueMails(db, accountId, { now, until, max });
      return { rows, more: rows.length === max };
    },
    work: (mail) => sendOne(deps, mail, finish),
    onError: (error, { accountId }) =>
      deps.onIncident('mails could not be sent', { account_id: accountId }, error),
  });
}

/** Sends everything that is due. @returns the number of attempts */
export const sendMails = (deps: SendMailDependencies): Promise<number> => outgoingMails(deps).run();

type MailEnd = Parameters<typeof finishMail>[2];
type Finish = (mail: DueMail, end: MailEnd) => Promise<void>;

async function sendOne(deps: SendMailDependencies, mail: DueMail, finish: Finish): Promise<void> {
  const { clock } = deps;
  if (!isMailbox(mail.to_address)) {
    await finish(mail, {
      state: 'failed',
      error: 'This is not an address that mail can be sent to.',
    });
    return;
  }
  if (mail.tries > retrySeconds.length + 1) {
    await finish(mail, { state: 'failed', error: 'The last try ended without a result.' });
    return;
  }
  try {
    await withDeadline(clock, (signal) => deps.send(mail, signal));
  } catch (error) {
    deps.onIncident('a mail was not taken', mail, error);
    await finish(mail, afterFailure(clock.now(), mail, error));
    return;
  }
  await finish(mail, { state: 'sent', sentAt: clock.now() });
}

function afterFailure(now: Date, mail: DueMail, cause: unknown): MailEnd {
  const error = (cause instanceof Error ? cause.message : String(cause)).slice(0, maxErrorLength);
  const seconds = retrySeconds[mail.tries - 1];
  if (seconds === undefined) return { state: 'failed', error };
  return { state: 'queued', nextTryAt: new Date(now.getTime() + seconds * secondsMs), error };
}

/** Runs an exchange with one deadline: a server that sends a few bytes now and then could otherwise prolong it for ever. */
async function withDeadline(clock: Clock, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const late = new AbortController();
  const ended = new AbortController();
  void clock.delay(sendMs, ended.signal).then(() => late.abort(new Error('no answer in time')));
  try {
    await work(late.signal);
  } finally {
    ended.abort();
  }
}
