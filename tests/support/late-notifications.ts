import type { CleanUp } from './clean-up.ts';
import { queryDatabase } from './fresh-database.ts';
import { type Merchant, target, till } from './merchant.ts';

/**
 * The delay of held notifications in account time. It exceeds what tests advance a clock by beforehand, since
 * the simulator may not know of that yet, and is shorter than the time a buyer has to pay.
 */
export const heldSeconds = 600;

/**
 * Delays the simulated processors' notifications to an account until the clean-up. What they would settle
 * after a second stays open while a test inspects it, however slow the machine is. Advancing the account's
 * clock sends them.
 */
export async function holdNotifications(cleanUp: CleanUp, shop: Merchant): Promise<void> {
  const url = target().environment.DATABASE_URL ?? (await till<{ url: string }>('db', 'url')).url;
  // One trigger per account, since concurrent tests hold their own notifications.
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
