/** The tables that only this simulator uses. */
export const schema = `
-- Payments that wait for the buyer's bank. Kept without card number and security code.
create table if not exists sandbox.challenges (
  id text primary key,
  merchant_account text not null,
  reference text not null,
  psp_reference text not null,
  state text not null check (state in ('open', 'answered', 'completed', 'cancelled')),
  outcome text,
  redirect_result text unique,
  payment jsonb not null,
  created_at timestamptz not null
);
create index if not exists challenges_reference on sandbox.challenges (merchant_account, reference);
`;
