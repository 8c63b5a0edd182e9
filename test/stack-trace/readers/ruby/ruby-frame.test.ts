import { test } from 'tap'
import { readTrace } from '../../../helpers/trace-fixtures.ts'
import { summary } from '../../../helpers/trace-summary.ts'

test('evaluated code stands where it was evaluated, when that is told', async t => {
  t.equal(summary(readTrace('ruby-3.4-evalled'))[0]?.frames.at(-1), '/srv/app/ruby/evalled.rb:1 <top (required)>')
  t.equal(summary(readTrace('ruby-3.1-evalled'))[0]?.frames.at(-1), '(eval):2 <main>')
})

test('frames wrapped at any place keep file, line and function', async t => {
  const text =
    "Shop (err): no till at\nthe corner\n/usr/lib/ruby/shop/till.rb:106:in `open'\n" +
    "/usr/lib/ruby/shop/cart.rb:1403:in `block (3 levels) in\n<class:Cart>'\n" +
    "/usr/lib/ruby/shop/main.rb:12:in\n`main'\n"
  t.same(summary(text), [
    {
      head: 'root null: Shop (err): no till at\nthe corner',
      frames: [
        '/usr/lib/ruby/shop/main.rb:12 main',
        '/usr/lib/ruby/shop/cart.rb:1403 block (3 levels) in <class:Cart>',
        '/usr/lib/ruby/shop/till.rb:106 open',
      ],
    },
  ])
})

test('a place in prose counts, with the folder as it is spelled', async t => {
  t.same(
    summary(
      "Warning: the mode is deprecated\n(at /usr/lib/My Shop/mode.rb:69:in `block (2\nlevels) in <module:Shop>')",
    ),
    [
      {
        head: 'root Warning: the mode is deprecated',
        frames: ['/usr/lib/My Shop/mode.rb:69 block (2 levels) in <module:Shop>'],
      },
    ],
  )
})

test('a row that was wrapped behind its line', async t => {
  t.same(
    summary(
      "/srv/a.rb:3:in `open': no till (RuntimeError)\n" +
        "        from /srv/gems/bootsnap/core_ext/kernel_require.rb:17:\nin `require'\n" +
        "        from /srv/main.rb:1:in `<main>'\n",
    )[0]?.frames,
    ['/srv/main.rb:1 <main>', '/srv/gems/bootsnap/core_ext/kernel_require.rb:17 require', '/srv/a.rb:3 open'],
  )
})
