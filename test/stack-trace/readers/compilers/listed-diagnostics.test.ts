import { test } from 'tap'
import { readTrace } from '../../../helpers/trace-fixtures.ts'
import { summary } from '../../../helpers/trace-summary.ts'

test('eslint names the file once; each row below it is an exception, its rule the type', async t => {
  t.same(summary(readTrace('eslint-9.39')), [
    {
      head: "root no-unused-vars: 'unused' is assigned a value but never used",
      frames: ['/srv/app/compilers/lint/cart.js:1:7 null'],
    },
    {
      head: "separate no-debugger: Unexpected 'debugger' statement",
      frames: ['/srv/app/compilers/lint/cart.js:3:22 null'],
    },
    { head: "root no-undef: 'undefinedName' is not defined", frames: ['/srv/app/compilers/lint/cart.js:4:10 null'] },
    { head: 'root error: Parsing error: Unexpected token', frames: ['/srv/app/compilers/lint/till.js:2:1 null'] },
  ])
})

test('PHPStan has a table for each file', async t => {
  const found = summary(readTrace('phpstan-0.12-table'))
  t.equal(found[0]?.head, 'root error: Call to an undefined method actionDatasource::error().')
  t.same(
    found.map(({ frames }) => frames),
    [
      ['lizmap/modules/action/classes/actionDatasource.class.php:44 null'],
      ['lizmap/modules/action/classes/actionDatasource.class.php:48 null'],
      ['lizmap/modules/lizmap/controllers/geobookmark.classic.php:16 null'],
      ['lizmap/modules/lizmap/controllers/geobookmark.classic.php:81 null'],
    ],
  )
})

test('PHPStan draws a table for each file; a message goes on in rows without a number', async t => {
  const text =
    ' ------ ------------------------------\n  Line   src/Cart.php\n ------ ------------------------------\n' +
    '  12     Call to an undefined method\n         Shop\\Cart::close().\n         🪪  method.notFound\n' +
    '  17     Parameter #1 expects int.\n ------ ------------------------------\n'
  t.same(summary(text), [
    {
      head: 'root method.notFound: Call to an undefined method\nShop\\Cart::close().',
      frames: ['src/Cart.php:12 null'],
    },
    { head: 'root error: Parameter #1 expects int.', frames: ['src/Cart.php:17 null'] },
  ])
})
