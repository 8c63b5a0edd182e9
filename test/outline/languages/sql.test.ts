import { test } from 'tap'
import { spans } from '../spans.ts'

test('SQL: statements to their semicolon, over blocks and quoted bodies', async t => {
  t.same(
    spans(
      'sql',
      `CREATE TABLE IF NOT EXISTS s."T" (
  a int DEFAULT ';' -- ;
);
create or replace function f(a int) returns int as $x$
begin
  return 1;
end;
$x$ language plpgsql;
CREATE PROCEDURE [dbo].[p] AS
BEGIN
  IF 1 = 1 BEGIN SELECT CASE WHEN 1 THEN 2 END; END
END
GO
create view v as
  select 1;
create index i on t (a);
`,
    ),
    ['table T 1-3', 'function f 4-8', 'function p 9-12', 'table v 14-15'],
  )
})

test('SQL: a table without a semicolon ends before the next statement or at go', async t => {
  t.same(
    spans(
      'sql',
      `create table a (x int)
insert into a values (1);
create table b (y int)
go
create table c (z int)
  comment d;
`,
    ),
    ['table a 1-1', 'table b 3-3', 'table c 5-6'],
  )
})

test('SQL: a function ends before the next one, or behind its blocks', async t => {
  t.same(
    spans(
      'sql',
      `create function a() returns int as begin return 1; end
create function b() returns int as begin return 1; end;
`,
    ),
    ['function a 1-1', 'function b 2-2'],
  )
  t.same(
    spans(
      'sql',
      `create procedure a as
begin
  begin transaction;
  if x then y; end if;
  case v when 1 then 2 end;
  z;
end;
`,
    ),
    ['function a 1-7'],
  )
  t.same(spans('sql', 'create procedure a as if not exists (b) c;\ncreate table d (x int);\n'), [
    'function a 1-1',
    'table d 2-2',
  ])
})

test('SQL: words between create and what is created', async t => {
  t.same(
    spans(
      'sql',
      `create or replace editionable package body d.e as begin end;
create global temporary table if not exists [f g].[h] (x int);
create temp view i as select 1;
create unique index j on a (b);
`,
    ),
    ['module e 1-1', 'table h 2-2', 'table i 3-3'],
  )
})

test('SQL: strings, comments and quoted names', async t => {
  t.same(
    spans(
      'sql',
      `create type "A b" as enum ('it''s; create table no (');
-- create table no (x int);
/* create table no
*/ create trigger \`c\` before insert on d begin end;
select create table no;
`,
    ),
    ['type A b 1-1', 'function c 4-4'],
  )
})

test('SQL: a body between dollar marks is one string', async t => {
  t.same(
    spans(
      'sql',
      `CREATE FUNCTION a() RETURNS int AS $body$
CREATE TABLE no (x int);
$body$ LANGUAGE sql;
select 1$2;
CREATE TABLE b (x int);
`,
    ),
    ['function a 1-3', 'table b 5-5'],
  )
})
