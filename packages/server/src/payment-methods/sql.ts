import { isOperationOpen } from '../operations/sql.ts';

/** What a merchant account keeps, as SQL of its number. @param own SQL for whether a row of an alias is its own */
export const keptMethods = (own: (alias: string) => string) => ({
  saved_methods: `(select count(*) from payment_methods m
    where m.tenant = $1 and ${own('m')} and (m.removed_at is null or ${isOperationOpen('m')}))`,
});
