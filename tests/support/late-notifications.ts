import type { CleanUp } from './clean-up.ts';
import { queryDatabase } from './fresh-database.ts';
import { type Merchant, target, till } from './merchant.ts';

/**
 * By how much of the account's time held notifications come later. More than tests advance a clock before, of which the simulator
 * may not know yet; less than a buyer has for paying.
 */
export const heldSeconds = 600;

/**
 * Lets the simulated processors' notifications to an account, until the clean-up, be due later: what they would settle after a
 * second stays open as long as a test looks at it, however slow the machine. To advance the account's clock sends them.
 */
export async function holdNotifications(cleanUp: CleanUp, shop: Merchant): Promise<void> {
  const url = target().environment.DATABASE_URL ?? (await till<{ url: string }>('db', 'url')).url;
  // One for each account: tests that run beside each other hold their own.
  const name = `hold_${shop.id}`;
  await queryDatabase(
    url,
    `create function sandbox.${name}() returns trigger language plpgsql as $$ begin
       new.due_at := new.due_at + interval '${heldSeconds} seconds';
       return new;
     end $$;
     create trigger ${name} before insert on sandbox.notifications for each row
       when (new.merchant_account = '${shop.id}') execute function sandbox.${name}()`,
  );
  cleanUp.add(() =>
    queryDatabase(url, `drop trigger ${name} on sandbox.notifications; drop function sandbox.${name}()`),
  );
}
