import { test } from 'tap'
import { readTrace } from '../../../helpers/trace-fixtures.ts'
import { summary } from '../../../helpers/trace-summary.ts'

test('errors of a logger and of puts: the message stands above the frames, warnings are no errors', async t => {
  t.same(
    summary(readTrace('ruby-3.1-logged')).filter(({ head }) => head.startsWith('root')),
    [
      {
        head: "root NoMethodError: undefined method `price' for 1:Integer ×2",
        frames: [
          'logged.rb:5 <main>',
          'logged.rb:5 times',
          'logged.rb:6 block in <main>',
          '/srv/app/ruby/lib/cart.rb:7 total',
          '/srv/app/ruby/lib/cart.rb:7 sum',
          '/srv/app/ruby/lib/cart.rb:7 block in total',
        ],
      },
      {
        head: 'root Cart::Empty: nothing to pay\nfor cart 17',
        frames: [
          'logged.rb:11 <main>',
          '/srv/app/ruby/lib/cart.rb:10 checkout',
          '/srv/app/ruby/lib/cart.rb:13 rescue in checkout',
        ],
      },
    ],
  )
})

test('a report of rspec: failures, errors and what caused them', async t => {
  t.same(summary(readTrace('ruby-3.1-rspec')), [
    {
      head: 'root Failure: expected: 2\ngot: 0\n\n(compared using ==)',
      frames: ['./spec/cart_spec.rb:5 block (2 levels) in <top (required)>'],
    },
    {
      head: "root NoMethodError: undefined method `price' for 1:Integer",
      frames: [
        './spec/cart_spec.rb:9 block (2 levels) in <top (required)>',
        './lib/cart.rb:7 total',
        './lib/cart.rb:7 sum',
        './lib/cart.rb:7 block in total',
      ],
    },
    {
      head: 'root Cart::Empty: nothing to pay\nfor cart 17',
      frames: [
        './spec/cart_spec.rb:13 block (2 levels) in <top (required)>',
        './lib/cart.rb:10 checkout',
        './lib/cart.rb:13 rescue in checkout',
      ],
    },
    { head: "cause NoMethodError: undefined method `sum' for nil:NilClass", frames: ['./lib/cart.rb:7 total'] },
  ])
})

test(
  'lines of Rails and of workers: type and message above, views without a function, causes under a ' + 'heading',
  async t => {
    const rails =
      "ActionView::Template::Error (undefined method `name' for nil:NilClass):\n    1: <h1>\n" +
      "    2: <%= shop.name %>\n\napp/views/shops/show.html.erb:2:in `_app_views_shops_show'\n" +
      "app/views/layout.haml:143\napp/controllers/shops_controller.rb:7:in `show'\n\nCauses:\n" +
      "NoMethodError (undefined method `name' for nil:NilClass)\n\n" +
      "app/views/shops/show.html.erb:2:in `_app_views_shops_show'\n"
    t.same(
      summary(rails).map(({ head, frames }) => [head.split('\n')[0], frames]),
      [
        [
          "root ActionView::Template::Error: undefined method `name' for nil:NilClass",
          [
            'app/controllers/shops_controller.rb:7 show',
            'app/views/layout.haml:143 null',
            'app/views/shops/show.html.erb:2 _app_views_shops_show',
          ],
        ],
        [
          "cause NoMethodError: undefined method `name' for nil:NilClass",
          ['app/views/shops/show.html.erb:2 _app_views_shops_show'],
        ],
      ],
    )
    const worker =
      '2026-11-21T10:00:00.123Z pid=12 tid=abc class=Pay jid=1 elapsed=0.1 WARN: RuntimeError: boom\n' +
      "2026-11-21T10:00:00.124Z pid=12 tid=abc class=Pay jid=1 WARN: /app/jobs/pay.rb:3:in `perform'\n"
    t.same(summary(worker), [{ head: 'root RuntimeError: boom', frames: ['/app/jobs/pay.rb:3 perform'] }])
  },
)
