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
