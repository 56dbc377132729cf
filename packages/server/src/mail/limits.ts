import { sha256 } from '../lib/keys.ts';
import type { Queryable } from '../store/database.ts';

const everybody = Buffer.alloc(0);

/** A limit on mails of one account on a UTC day. */
export interface MailLimit {
  readonly of: 'account' | 'address';
  readonly max: number;
  /** Real seconds until the day is over. */
  readonly retryAfterSeconds: number;
}

/** Mails of a kind that one account sends on a UTC day. */
const maxMails = {
  link: { ofAccount: 200, toOneAddress: 5 },
  receipt: { ofAccount: 100_000, toOneAddress: 20 },
  /** A payment in test mode costs nothing. */
  test_receipt: { ofAccount: 200, toOneAddress: 20 },
} as const;

const dayMs = 86_400_000;

/**
 * Counts a mail to a buyer against what an account may send on a UTC day, to everybody and to one address: else anybody could have a
 * shop write to anybody as often as they like. What was counted is locked until the transaction ends.
 * @param now real time: the sandbox's clock gives no further mails
 * @returns the limit that is reached; null where the mail may be sent
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
  // First, so that who keeps writing to one address uses up nothing of all.
  if ((await take(sha256(mail.address.toLowerCase()), toOneAddress)) === null) {
    return { of: 'address', max: toOneAddress, retryAfterSeconds };
  }
  const sent = await take(everybody, ofAccount);
  if (sent === null) return { of: 'account', max: ofAccount, retryAfterSeconds };
  if (sent === 1) await removeFormerDays(tx, accountId, day);
  return null;
}

/** Addresses of other days are not kept. */
async function removeFormerDays(tx: Queryable, accountId: string, day: string): Promise<void> {
  await tx.query({
    name: 'remove_former_buyer_mails',
    // What another mail counts at this moment is of today by then, and that mail waits for the count of all, which is ours.
    text: `with former as (
             select kind, to_sha256 from buyer_mails where account_id = $1 and day < $2 for update skip locked)
           delete from buyer_mails m using former f
           where m.account_id = $1 and m.kind = f.kind and m.to_sha256 = f.to_sha256`,
    values: [accountId, day],
    scope: { accountId },
  });
}
