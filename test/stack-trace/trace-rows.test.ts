import { test } from 'tap'
import { holdsRow, rowBehindPrefix, startsRow } from '../../src/stack-trace/trace-rows.ts'

const ROWS = [
  '  File "/srv/cart.py", line 3, in total',
  'Traceback (most recent call last):',
  '    at Cart.total (/srv/cart.js:3:5)',
  '\tat com.acme.Cart.total(Cart.java:12)',
  '   bei Acme.Cart.Total() in C:\\Cart.cs:Zeile 3.',
  '   \u5728 Acme.Cart.Total()',
  '#0 /srv/Cart.php(12): total()',
  'Caused by: java.io.IOException: no',
  '... 12 more',
  'goroutine 1 [running]:',
  "\tfrom /srv/cart.rb:3:in `total'",
  "/srv/cart.rb:3:in 'Cart#total'",
  '   6: shop::cart::total',
  "thread 'main' panicked at src/main.rs:3:5:",
  'checkout@https://shop.example/app.js:12:5',
  'src/cart.ts:12:5: error: no',
  'src/cart.ts(12,5): error TS2304: no',
  'Cart.pm at lib/Cart.pm line 12.',
  '[C]: in ?',
]

test('rows of every runtime are known by their beginnings', async t => {
  t.same(
    ROWS.filter(row => !startsRow(row)),
    [],
  )
})

test('prose and lines of a log are no rows', async t => {
  const others = [
    '',
    'the shop is slow',
    'INFO ready in 12 ms',
    'meet me at noon',
    'at home',
    '12:30 lunch',
    'see https://shop.example/cart',
    'file "a.txt" was read',
  ]
  t.same(others.filter(startsRow), [])
})

test('a row may stand behind the name of a logger or the margin of a group', async t => {
  t.equal(rowBehindPrefix('TRACE api.v2   File "/srv/cart.py", line 3, in total'), 15)
  t.equal(rowBehindPrefix('  | Traceback (most recent call last):'), 4)
  t.equal(rowBehindPrefix('shop     at Cart.total (cart.js:3:5)'), 9)
  t.equal(rowBehindPrefix('    at Cart.total (cart.js:3:5)'), 0, 'nothing but blanks stands before it')
  t.equal(rowBehindPrefix('the shop is slow'), 0)
  t.ok(holdsRow('  | Traceback (most recent call last):'))
  t.ok(holdsRow('\tat com.acme.Cart.total(Cart.java:12)'))
  t.notOk(holdsRow('the shop is slow'))
})
