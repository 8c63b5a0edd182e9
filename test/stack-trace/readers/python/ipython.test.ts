import { test } from 'tap'
import { shown } from '../../../helpers/shown-trace.ts'
import { summary } from '../../../helpers/trace-summary.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'

const FRAMES = [
  "Cell In[1]:1 - | pay([{'count': 1}])",
  'Cell In[1]:3 pay | return total(lines)',
  '~/python/shop.py:2 total | return sum(price(line) for line in lines)',
  '~/python/shop.py:2 <genexpr> | return sum(price(line) for line in lines)',
  '~/python/shop.py:6 price | return line["count"] * line["price"]',
]

test('every style of IPython gives the same frames, with the marked line as their code', async t => {
  for (const mode of ['context', 'verbose', 'plain']) {
    const found = shown(readTrace(`ipython-8-${mode}`))
    t.same(
      found.map(({ head }) => head),
      [
        "root KeyError: 'price'",
        "context KeyError: 'count'",
        'root ValueError: nothing to pay\nfor cart C-17',
        "root SyntaxError: expected ':'",
      ],
      mode,
    )
    t.same(found[0]?.frames, FRAMES, mode)
    t.same(found[3]?.frames, ['Cell In[1]:1 - | for i in range(3)'], mode)
  }
})

test('older notebooks give the line in the code only, and compiled modules none', async t => {
  t.same(shown(readTrace('ipython-7-pandas')), [
    {
      head: "context KeyError: 'stockToFlow_price'",
      frames: [
        '/opt/anaconda3/lib/python3.8/site-packages/pandas/core/indexes/base.py:2646 get_loc | return ' +
          'self._engine.get_loc(key)',
        'pandas/_libs/index.pyx:- pandas._libs.index.IndexEngine.get_loc ×2',
        'pandas/_libs/hashtable_class_helper.pxi:- pandas._libs.hashtable.PyObjectHashTable.get_item ×2',
      ],
    },
    {
      head: 'root KeyError: null',
      frames: ["<ipython-input-63-03aca18e080e>:235 <module> | btc['stf'] = btc_stf['stockToFlow_price']"],
    },
  ])
})

test('rows that a notebook folded away do not split the traceback', async t => {
  t.same(summary(readTrace('ipython-collapsed')), [
    {
      head: 'root KeyError: "None of [Int64Index([0, 1, 6, 7], dtype=\'int64\')] are in the [columns]"',
      frames: [
        '<ipython-input-40-6acb74aaf00d>:8 <module>',
        '/usr/local/lib/python3.6/dist-packages/pandas/core/indexing.py:1640 _validate_read_indexer',
      ],
    },
  ])
})
