import { test } from 'tap'
import { checkSpans, spans } from '../spans.ts'

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

test('SQL: what may stand around a name', async t => {
  checkSpans(t, 'sql', [
    ['create or replace function f() returns int as $$ begin; $$ language sql;', 'function f 1-1'],
    ['create temporary table a (b int);', 'table a 1-1'],
    ['create definer = `a`@`b` procedure p() begin end;\ncreate table c (d int);', 'function p 1-1, table c 2-2'],
    ['create definer=a@localhost trigger t before insert on b for each row begin end;', 'function t 1-1'],
    ['create global temporary table a (b int);', 'table a 1-1'],
    ['create unlogged table if not exists a.b (c int);', 'table b 1-1'],
    ['create recursive view a as select 1;', 'table a 1-1'],
    ['create force editionable view a as select 1;', 'table a 1-1'],
    ['create materialized view a as\nselect 1;', 'table a 1-2'],
    ['create constraint trigger t after insert on a;', 'function t 1-1'],
    ["create type a as enum ('b');", 'type a 1-1'],
    ['create package body a as\nbegin\nend;', 'module a 1-3'],
    ['create package a as\nfunction b return int;\nend;', 'module a 1-2'],
    ['create table "a b"."c" (d int);', 'table c 1-1'],
    ['create table `a` (b int);', 'table a 1-1'],
    ['create table [a].[b c] (d int);', 'table b c 1-1'],
    ['create table [a] (d int);', 'table a 1-1'],
    ['create unique index a on b (c);\ncreate table d (e int);', 'table d 2-2'],
    ['create user function;\ncreate table d (e int);', 'table d 2-2'],
    ['x create table a (b int);', ''],
    ['x; create table a (b int);', 'table a 1-1'],
    ['create table', ''],
    ['create table (', ''],
    ['create', ''],
    ['create table a', 'table a 1-1'],
    ['create table a (', 'table a 1-1'],
    ['create function f(', 'function f 1-1'],
    ['create or replace a b c d e f g h i j k table l (m int);', ''],
    ['create table a.', ''],
    ['CREATE TABLE A (B INT);', 'table A 1-1'],
  ])
})

test('SQL: where a statement ends', async t => {
  checkSpans(t, 'sql', [
    [
      "create function f() returns int as 'begin; ''; ' language sql;\ncreate table a (b int);",
      'function f 1-1, table a 2-2',
    ],
    ['create function f() as $a$ ; $$ ; $a$;\ncreate table a (b int);', 'function f 1-1, table a 2-2'],
    ['create function f() as $a ;\ncreate table b (c int);', 'function f 1-1, table b 2-2'],
    ['-- create table a (b int);\n/* create table b (c int); */\ncreate table c (d int);', 'table c 3-3'],
    ['create table a (b int default 1 - 2 / 3);\ncreate table c (d int);', 'table a 1-1, table c 2-2'],
    [
      'create procedure p()\nbegin\n  if a then b; end if;\n  while c do d; end while;\n  loop e; end loop;\n  repeat f; until g end repeat;\n  case h when 1 then i; end case;\n  begin j; end;\nend;\ncreate table k (l int);',
      'function p 1-9, table k 10-10',
    ],
    ['create procedure p() as\nbegin tran;\ncreate table a (b int);', 'function p 1-2, table a 3-3'],
    ['create procedure p() as\nbegin work\n;create table a (b int);', 'function p 1-3, table a 3-3'],
    ['create view v as select case when a then b end;\ncreate table c (d int);', 'table v 1-1, table c 2-2'],
    ['create view v as select 1\ngo\ncreate view w as select go;', 'table v 1-1, table w 3-3'],
    ['create table a (b int)\ncreate table c (d int)\nalter table a add e int;', 'table a 1-1, table c 2-2'],
    [
      'create table a (b int)\n  set c;\ncreate table d (e int)\nupdate a set b = 1;\ncreate table f (g int)\ndelete from a;',
      'table a 1-2, table d 3-3, table f 5-5',
    ],
    ['create view a as\nselect 1\nupdate b set c = 1;\ncreate table d (e int);', 'table a 1-2, table d 4-4'],
    [
      'create function f() begin\ncreate table a (b int);\nend;\ncreate table c (d int);',
      'function f 1-3, table c 4-4',
    ],
    [
      'create function f() as begin return 1; end\ncreate function g() as begin return 1; end',
      'function f 1-1, function g 2-2',
    ],
    ['create function f() end; \ncreate table a (b int);', 'function f 1-1, table a 2-2'],
    ['create table a (b int)\ngo 5\ncreate table c (d int);', 'table a 1-2, table c 3-3'],
    ['create function f() as begin begin a; end; b; end;\ncreate table c (d int);', 'function f 1-1, table c 2-2'],
    ['create table a (case int);\ncreate table b (c int);', 'table a 1-1, table b 2-2'],
  ])
})
