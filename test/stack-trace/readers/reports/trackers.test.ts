import { test } from 'tap'
import { parseStackTrace } from '../../../../src/stack-trace/parse.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'
import { summary } from '../../../helpers/trace-summary.ts'

test('rows that say the line first; the placeholder of the folder is no part of the path', async t => {
  t.same(summary(readTrace('tracker-honeybadger')), [
    {
      head: 'root null: null',
      frames: [
        'config/initializers/apartment.rb:72 call',
        'app/views/backend/interventions/index.html.haml:1 ' +
          '_app_views_backend_interventions_index_html_haml__3955247550395747388_47347162641180',
      ],
    },
  ])
  t.equal(parseStackTrace(readTrace('tracker-honeybadger')).exceptions[0]?.language, 'ruby')
})

test('rows with a dash before the function; the type stands in bold', async t => {
  t.same(
    summary(
      "## Exception in Shop\n\n**NoMethodError** in **till#open**\nundefined method `total' for nil\n" +
        '## Stacktrace\n\n```\napp/workers/till.rb:7 - perform\napp/workers/base.rb:3 - block in run\n```\n',
    ),
    [
      {
        head: "root NoMethodError: undefined method `total' for nil",
        frames: ['app/workers/base.rb:3 block in run', 'app/workers/till.rb:7 perform'],
      },
    ],
  )
  t.same(parseStackTrace('src/cart.ts:3 - this is prose').exceptions[0]?.type, null)
})

test('rows as Python writes them, without its commas, with a number above each', async t => {
  t.same(
    summary(
      'NoMethodError: no till\n... 10 non-project frames\n1\nFile "[/project/]/lib/till.rb" line 10 in call\n' +
        '2\nFile "[/project/]/lib/shop.rb" line 20 in block in open\n',
    ),
    [{ head: 'root NoMethodError: no till', frames: ['lib/shop.rb:20 block in open', 'lib/till.rb:10 call'] }],
  )
})
