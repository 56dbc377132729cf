-- Look of the hosted checkout page, and what the page keeps of one buyer's visit.

-- Of the account, in both modes. The logo is as we wrote it anew, never as it was uploaded.
create table account_branding (
  account_id text primary key references accounts,
  -- The shop's name as buyers read it; null: the account's name.
  display_name text,
  -- sRGB, six hexadecimal digits; null: the page's own colour.
  colour text check (colour ~ '^[0-9a-f]{6}$'),
  default_locale text,
  logo bytea check (length(logo) <= 102400),
  logo_type text check (logo_type in ('image/png', 'image/jpeg')),
  logo_width int check (logo_width > 0),
  logo_height int check (logo_height > 0),
  logo_sha256 text,
  updated_at timestamptz not null,
  check ((logo is null) = (logo_type is null) and (logo is null) = (logo_width is null)
    and (logo is null) = (logo_height is null) and (logo is null) = (logo_sha256 is null))
);

-- Whose fields take a card on the page: ours, or the processor's in its frames. Null: as the mode asks for.
alter table connections add column card_fields text check (card_fields in ('first_party', 'processor'));

alter table checkout_tokens
  -- The browser that sent the first form; the others only hear that it is there.
  add column browser_sha256 bytea,
  -- Chosen on the page.
  add column language text,
  -- Where the bank asks the buyer about the card that was typed last.
  add column bank_url text,
  -- A card is being sent at this moment, by that process. Real time.
  add column busy_owner bigint not null default 0,
  add column busy_until timestamptz not null default '-infinity';
