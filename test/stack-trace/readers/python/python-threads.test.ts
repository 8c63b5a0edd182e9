import { test } from 'tap'
import { shown } from '../../../helpers/shown-trace.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'

test(
  'a fatal error: the thread that failed is the root, the others stand beside it, the outermost call ' + 'first',
  async t => {
    for (const version of ['3.8', '3.11', '3.12', '3.13']) {
      const found = shown(readTrace(`python-${version}-faulthandler`))
      t.match(
        found.map(({ head }) => head),
        [/^separate null: Thread 0x/, 'root Fatal Python error: Segmentation fault'],
        version,
      )
      t.same(
        found[1]?.frames.map(frame => frame.replace(/^faulty/, '/srv/app/python/faulty')),
        [
          '/srv/app/python/faulty.py:20 <module>',
          '/srv/app/python/faulty.py:14 crash ×2',
          '/srv/app/python/faulty.py:16 crash',
        ],
        version,
      )
    }
  },
)

test('stacks that a debugger or a sampler took, the innermost call first', async t => {
  t.same(
    shown(
      'Traceback (most recent call first):\n  File "/srv/a.py", line 3, in g\n    wait()\n' +
        '  File "/srv/a.py", line 9, in f\n    g()\n',
    )[0]?.frames,
    ['/srv/a.py:9 f | g()', '/srv/a.py:3 g | wait()'],
  )
  t.same(
    shown(
      'Thread 12 (idle): "MainThread"\n    wait (threading.py:320)\n    pay (app/shop.py:12)\n' +
        '    <module> (shop.py:20)\nThread 0x7F0A (active): "worker"\n    run (app/worker.py:7)\n',
    ),
    [
      {
        head: 'root null: Thread 12 (idle): "MainThread"',
        frames: ['shop.py:20 <module>', 'app/shop.py:12 pay', 'threading.py:320 wait'],
      },
      { head: 'separate null: Thread 0x7F0A (active): "worker"', frames: ['app/worker.py:7 run'] },
    ],
  )
})
