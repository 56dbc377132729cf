import { describe, expect, it } from 'vitest';
import { hazardsOf, statementsOf } from './hazards.ts';

describe('the statements of a migration', () => {
  it('are split at semicolons outside of texts, comments and function bodies', () => {
    const sql = `-- One; still a comment.
      create table a (text text default 'x;y' -- why; not
      );
      create function f() returns text language sql as $$ select 'a;b'; $$;
      comment on table a is 'it''s; fine';
      `;
    expect(statementsOf(sql)).toEqual([
      "create table a (text text default 'x;y' )",
      "create function f() returns text language sql as $$ select 'a;b'; $$",
      "comment on table a is 'it''s; fine'",
    ]);
  });
});

describe('hazards of a migration for servers of the previous version', () => {
  it.each([
    'drop table payments',
    'alter table payments drop column reference',
    'alter table payments rename column reference to name',
    'alter table payments rename to charges',
    'alter table payments alter column reference type varchar(10)',
    'alter table payments alter reference set data type varchar(10)',
    'alter table payments alter column reference set not null',
    'alter table payments add column a text not null',
    'alter table payments add column b text, add column a int not null check (a > 0)',
    'alter table payments add column a int not null, add column b int default 1',
    'alter table payments add constraint one unique (reference)',
    'alter table only payments add primary key (id)',
    'alter table payments add constraint positive check (amount > 0)',
    'alter table payments add foreign key (a) references b (c)',
    'create index on payments (reference)',
    'create unique index if not exists by_reference on payments (reference)',
    'update payments set reference = null',
    'delete from payments',
    'truncate payments',
  ])('reported: %s', (statement) => {
    expect(hazardsOf(`${statement};`).map((hazard) => hazard.statement)).toEqual([statement]);
  });

  it.each([
    'alter table payments add column a text',
    "alter table payments add column a text not null default ''",
    'alter table payments add column a int not null default 0, add column b text',
    'alter table payments drop constraint positive, add constraint positive check (amount > 0) not valid',
    'alter table payments validate constraint positive',
    'alter table payments alter column a set default 1',
    'create index concurrently by_reference on payments (reference)',
    'drop index concurrently if exists by_reference',
    'insert into settings (name) values (1)',
    'create table a (id text); create index on a (id); alter table a add column b int not null',
  ])('not reported: %s', (statement) => {
    expect(hazardsOf(`${statement};`)).toEqual([]);
  });
});
