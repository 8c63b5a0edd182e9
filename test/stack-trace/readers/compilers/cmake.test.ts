import { test } from 'tap'
import { readTrace } from '../../../helpers/trace-fixtures.ts'
import { summary } from '../../../helpers/trace-summary.ts'
import { shown } from '../../../helpers/shown-trace.ts'

test('CMake: the call stack leads to the place', async t => {
  const [error] = summary(readTrace('cmake-3.25'))
  t.same(error?.frames, ['CMakeLists.txt:3 null', 'paths.cmake:4 include', 'paths.cmake:2 find_till'])
  t.match(error?.head, /^root CMake Error: By not providing "FindTill\.cmake"/)
})

test('a warning stands apart from the error behind it', async t => {
  t.same(
    shown(
      [
        'CMake Warning at lib/CMakeLists.txt:3 (message):',
        '  old',
        '',
        'CMake Error at CMakeLists.txt:9 (include):',
        '  no file',
      ].join('\n'),
    ),
    [
      { head: 'separate CMake Warning: old', frames: ['lib/CMakeLists.txt:3 -'] },
      { head: 'root CMake Error: no file', frames: ['CMakeLists.txt:9 -'] },
    ],
  )
})
