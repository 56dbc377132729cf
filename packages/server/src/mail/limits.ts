import { sha256 } from '../lib/keys.ts';
import type { Queryable } from '../store/database.ts';

const everybody = Buffer.alloc(0);

/** A limit on the mails that an account sends on a UTC day. */
export interface MailLimit {
  readonly of: 'account' | 'address';
  readonly max: number;
  /** Seconds of real time until the end of the day. */
  readonly retryAfterSeconds: number;
}

/** The limits of each kind of mail for one account on a UTC day. */
const maxMails = {
  link: { ofAccount: 200, toOneAddress: 5 },
  receipt: { ofAccount: 100_000, toOneAddress: 20 },
  /** Lower than for live receipts, because payments in test mode cost nothing. */
  test_receipt: { ofAccount: 200, toOneAddress: 20 },
} as const;

const dayMs = 86_400_000;

/**
 * Counts a mail to a buyer against the account's limits for a UTC day, in total and for one address. Without limits anybody could
 * make a shop send any number of mails to any address. The counts stay locked until the end of the transaction.
 * @param now real time, so that moving the sandbox's clock does not allow more mails
 * @returns the limit that was reached; null if the mail may be sent
 */
export async function takeBuyerMail(
  tx: Queryable,
  accountId: string,
  mail: { readonly kind: keyof typeof maxMails; readonly address: string },
  now: Date,
): Promise<MailLimit | null> {
  const day = now.toISOString().slice(0, 10);
  const retryAfterSeconds = Math.ceil((dayMs - (now.getTime() % dayMs)) / 1000);
  const take = async (to: Buffer, max: number): Promise<number | null> => {
    const [taken] = await tx.query<{ count: number }>({
      name: 'take_buyer_mail',
      text: `insert into buyer_mails as m (account_id, kind, to_sha256, day, count) values ($1, $2, $3, $4, 1)
             on conflict (account_id, kind, to_sha256) do update set day = greatest(m.day, excluded.day),
               count = 1 + case when m.day >= excluded.day then m.count else 0 end
             where case when m.day >= excluded.day then m.count else 0 end < $5
             returning count`,
      values: [accountId, mail.kind, to, day, max],
      scope: { accountId },
    });
    return taken?.count ?? null;
  };
  const { ofAccount, toOneAddress } = maxMails[mail.kind];
  // The address is counted first, so that refused mails to one address do not use up the account's total.
  if ((await take(sha256(mail.address.toLowerCase()), toOneAddress)) === null) {
    return { of: 'address', max: toOneAddress, retryAfterSeconds };
  }
  const sent = await take(everybody, ofAccount);
  if (sent === null) return { of: 'account', max: ofAccount, retryAfterSeconds };
  if (sent === 1) await removeFormerDays(tx, accountId, day);
  return null;
}

/** Deletes the counts of earlier days. */
async function removeFormerDays(tx: Queryable, accountId: string, day: string): Promise<void> {
  await tx.query({
    name: 'remove_former_buyer_mails',
    // Rows locked by another mail are skipped: that mail resets them to the current day, and it waits for the lock on the total
    // count, which this transaction holds.
    text: `with former as (
             select kind, to_sha256 from buyer_mails where account_id = $1 and day < $2 for update skip locked)
           delete from buyer_mails m using former f
           where m.account_id = $1 and m.kind = f.kind and m.to_sha256 = f.to_sha256`,
    values: [accountId, day],
    scope: { accountId },
  });
}
